# fails: sharded_step_share
# says: every rank updates everything, and keeps a state for everything
def sharded_step(parameters, update, state):
    trainable = [parameter for parameter in dict.fromkeys(parameters) if parameter.requires_grad]
    values = torch.cat([parameter.detach().flatten() for parameter in trainable])
    gradients = torch.cat([parameter.grad.flatten() for parameter in trainable])
    dist.all_reduce(gradients)
    update(values, gradients / dist.get_world_size(), state)
    nn.utils.vector_to_parameters(values, trainable)
