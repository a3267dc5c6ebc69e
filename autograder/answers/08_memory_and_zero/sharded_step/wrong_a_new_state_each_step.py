# fails: sharded_step_equals_adamw, sharded_step_share
# says: hand on the state that sharded_step is given
# says: weights after five steps
def sharded_step(parameters, update, state):
    trainable = [parameter for parameter in dict.fromkeys(parameters) if parameter.requires_grad]
    values = torch.cat([parameter.detach().flatten() for parameter in trainable])
    gradients = torch.cat([parameter.grad.flatten() for parameter in trainable])
    num_ranks, size = dist.get_world_size(), math.ceil(len(values) / dist.get_world_size())
    padding = (0, num_ranks * size - len(values))
    values, gradients = nn.functional.pad(values, padding), nn.functional.pad(gradients, padding)
    own, gradient = values.chunk(num_ranks)[dist.get_rank()].clone(), torch.empty(size)
    dist.reduce_scatter_single(gradient, gradients)
    state = {}
    update(own, gradient / num_ranks, state)
    dist.all_gather_single(values, own)
    nn.utils.vector_to_parameters(values, trainable)
