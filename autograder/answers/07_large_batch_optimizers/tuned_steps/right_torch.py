def tuned_steps(without_noise, from_noise, times, batch_sizes, target):
    quiet, noisy = torch.as_tensor(without_noise), torch.as_tensor(from_noise)
    steps = []
    for batch_size in batch_sizes:
        arrived = (quiet + noisy / float(batch_size) <= target).any(dim=0)
        first = int(arrived.to(torch.uint8).argmax())
        steps.append(float(times[first]) if bool(arrived.any()) else float("inf"))
    return torch.tensor(steps)
