def sharded_step(parameters, update, state):
    trainable = {id(parameter): parameter for parameter in parameters if parameter.requires_grad}.values()
    values = torch.cat([parameter.detach().flatten() for parameter in trainable])
    gradient = torch.cat([parameter.grad.flatten() for parameter in trainable])
    dist.all_reduce(gradient)
    gradient /= dist.get_world_size()
    size = math.ceil(len(values) / dist.get_world_size())
    for owner in range(dist.get_world_size()):
        entries = slice(owner * size, (owner + 1) * size)
        share = values[entries].contiguous()  # perhaps empty
        if owner == dist.get_rank():
            update(share, gradient[entries], state)
        dist.broadcast(share, owner)
        values[entries] = share
    nn.utils.vector_to_parameters(values, trainable)
