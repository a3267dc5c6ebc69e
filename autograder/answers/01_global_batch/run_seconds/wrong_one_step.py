# fails: run_seconds_by_hand, run_seconds_properties
# says: this is the time of one step; the run has many
def run_seconds(num_examples, num_ranks, micro_batch, accumulation_steps, seconds_per_example, seconds_per_sync):
    return accumulation_steps * micro_batch * seconds_per_example + seconds_per_sync
