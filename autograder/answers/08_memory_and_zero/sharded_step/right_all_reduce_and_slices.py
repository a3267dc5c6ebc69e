def sharded_step(parameters, update, state):
    trainable, rank, num_ranks = [], dist.get_rank(), dist.get_world_size()
    for parameter in parameters:
        if parameter.requires_grad and not any(parameter is other for other in trainable):
            trainable.append(parameter)
    for parameter in trainable:
        dist.all_reduce(parameter.grad)
        parameter.grad /= num_ranks
    whole = torch.cat([parameter.data.reshape(-1) for parameter in trainable])
    gradient = torch.cat([parameter.grad.reshape(-1) for parameter in trainable])
    own = whole.tensor_split(num_ranks)[rank].clone()  # not all of one length: the first ones have one number more
    update(own, gradient.tensor_split(num_ranks)[rank], state)
    whole.zero_()
    whole.tensor_split(num_ranks)[rank].copy_(own)
    dist.all_reduce(whole)  # zeros but for one rank
    for parameter, piece in zip(trainable, whole.split([parameter.numel() for parameter in trainable])):
        parameter.data.copy_(piece.view_as(parameter))
