def clipped_gradient(gradients, max_norm):
    mean = torch.stack([torch.from_numpy(gradient) for gradient in gradients]).mean(dim=0)
    norm = torch.linalg.vector_norm(mean)
    return torch.where(norm > max_norm, mean * max_norm / norm.clamp(min=max_norm), mean)
