from largebatch.batch import plans


def accumulation_plan(global_batch, num_ranks, max_micro_batch):
    fitting = [plan for plan in plans(global_batch, num_ranks) if plan.micro_batch <= max_micro_batch]
    if not fitting:
        raise ValueError("no plan")
    return float(fitting[-1].micro_batch), float(fitting[-1].accumulation_steps)
