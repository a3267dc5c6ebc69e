def accumulated_gradient(gradients):
    tensors = [torch.as_tensor(gradient) for gradient in gradients]
    return torch.stack(tensors).mean(dim=0)
