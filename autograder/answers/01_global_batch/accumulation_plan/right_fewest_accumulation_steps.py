def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    share, left_over = divmod(global_batch, num_ranks)
    if left_over:
        raise ValueError(f"{left_over} sequences are left over")
    accumulation_steps = 1
    while share % accumulation_steps or share // accumulation_steps > max_micro_batch:
        accumulation_steps += 1
    return [share // accumulation_steps, accumulation_steps]
