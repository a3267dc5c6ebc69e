# fails: sharded_step_by_hand, sharded_step_share, sharded_step_equals_adamw
# says: each rank knows its own share only: the new shares must be collected
def sharded_step(parameters, update, state):
    trainable = [parameter for parameter in dict.fromkeys(parameters) if parameter.requires_grad]
    values = torch.cat([parameter.detach().flatten() for parameter in trainable])
    gradients = torch.cat([parameter.grad.flatten() for parameter in trainable])
    dist.all_reduce(gradients)
    size = math.ceil(len(values) / dist.get_world_size())
    own = slice(dist.get_rank() * size, (dist.get_rank() + 1) * size)
    update(values[own], gradients[own] / dist.get_world_size(), state)
    nn.utils.vector_to_parameters(values, trainable)
