def clipped_gradient(gradients, max_norm):
    weights = nn.Parameter(torch.zeros(gradients[0].shape))
    for gradient in gradients:
        (weights * torch.as_tensor(gradient)).sum().div(len(gradients)).backward()
    nn.utils.clip_grad_norm_([weights], max_norm)  # divides by norm + 1e-6
    return weights.grad
