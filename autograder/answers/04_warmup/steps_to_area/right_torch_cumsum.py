def steps_to_area(area, peak_rate, warmup_steps):
    enough = int(area / peak_rate + warmup_steps) + 2
    steps = torch.arange(1, enough + 1)
    areas = torch.cumsum(peak_rate * torch.clamp(steps / max(warmup_steps, 1), max=1.0), dim=0)  # 32 bits
    return torch.searchsorted(areas, area) + 1
