# fails: run_seconds_by_hand, run_seconds_properties
# says: 36 seconds (the example of the text)
def run_seconds(num_examples, num_ranks, micro_batch, accumulation_steps, seconds_per_example, seconds_per_sync):
    share = micro_batch * accumulation_steps
    full_steps, left_over = divmod(num_examples, num_ranks * share)
    seconds = full_steps * (share * seconds_per_example + seconds_per_sync)
    if left_over:
        seconds += -(-left_over // num_ranks) * seconds_per_example + seconds_per_sync
    return seconds
