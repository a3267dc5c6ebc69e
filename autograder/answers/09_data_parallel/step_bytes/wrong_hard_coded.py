# fails: step_bytes_properties
def step_bytes(strategy, num_bytes, num_ranks, accumulation_steps=1):
    return (
        {"ddp": 24.5e9, "zero1": 24.5e9, "zero2": 61.25e9, "zero3": 147e9}[strategy]
        if strategy != "zero4"
        else int("zero4")
    )
