def step_seconds(*, share, seconds_per_example, seconds_per_sync):
    return share * seconds_per_example + seconds_per_sync


def run_seconds(num_examples, num_ranks, micro_batch, accumulation_steps, seconds_per_example, seconds_per_sync):
    share = micro_batch * accumulation_steps
    steps = np.ceil(num_examples / num_ranks / share).astype(int)
    seconds = step_seconds(seconds_per_sync=seconds_per_sync, seconds_per_example=seconds_per_example, share=share)
    return np.full(steps, seconds).sum()
