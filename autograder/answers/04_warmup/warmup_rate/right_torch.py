def warmup_rate(step, peak_rate, warmup_steps):
    if warmup_steps == 0:
        return torch.tensor(peak_rate)
    share = torch.tensor((step + 1) / warmup_steps)  # 32 bits
    return peak_rate * share.clamp(max=1.0)
