# fails: sharded_step_share
# says: a rank takes whole tensors; cut the vector of all of them
def sharded_step(parameters, update, state):
    trainable = [parameter for parameter in dict.fromkeys(parameters) if parameter.requires_grad]
    num_ranks, rank = dist.get_world_size(), dist.get_rank()
    for parameter in trainable:
        dist.all_reduce(parameter.grad)
    mine = trainable[rank::num_ranks]  # dealt out like cards
    if mine:
        values = torch.cat([parameter.detach().flatten() for parameter in mine])
        update(values, torch.cat([parameter.grad.flatten() for parameter in mine]) / num_ranks, state)
        nn.utils.vector_to_parameters(values, mine)
    for number, parameter in enumerate(trainable):
        dist.broadcast(parameter.data, number % num_ranks)
