from itertools import product


def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    pairs = product(range(1, max_micro_batch + 1), range(1, global_batch + 1))
    plans = [(micro, steps) for micro, steps in pairs if num_ranks * micro * steps == global_batch]
    if not plans:
        raise ValueError(f"no plan for {global_batch} sequences on {num_ranks} ranks")
    return max(plans)
