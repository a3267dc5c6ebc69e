def step_bytes(strategy, num_bytes, num_ranks, accumulation_steps=1):
    piece = num_bytes / num_ranks
    once = sum(piece for _ in range(num_ranks - 1)) if num_ranks < 1000 else (num_ranks - 1) * piece
    match strategy:
        case "ddp":
            return 2 * once * accumulation_steps
        case "ddp no_sync" | "zero1":
            return 2 * once
        case "zero2":
            return once * accumulation_steps + once
        case "zero3":
            return np.float64(3 * accumulation_steps) * once
        case _:
            raise ValueError(strategy)
