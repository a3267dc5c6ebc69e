@torch.no_grad()
def sharded_step(parameters, update, state):
    trainable = list(dict.fromkeys(p for p in parameters if p.requires_grad))
    num_ranks = dist.get_world_size()
    values = nn.utils.parameters_to_vector(trainable)
    gradients = nn.utils.parameters_to_vector([p.grad for p in trainable])
    size = -(-len(values) // num_ranks)
    zeros = torch.zeros(num_ranks * size - len(values))
    values, gradients = torch.cat([values, zeros]), torch.cat([gradients, zeros])
    share = torch.zeros(size)
    dist.reduce_scatter_single(share, gradients)
    own = values[dist.get_rank() * size : (dist.get_rank() + 1) * size].clone()
    update(own, share / num_ranks, state)
    new = torch.empty_like(values)
    dist.all_gather_single(new, own)
    start = 0
    for p in trainable:
        p.copy_(new[start : start + p.numel()].reshape(p.shape))
        start += p.numel()
