def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    optimizer_steps = examples_read = 0
    for micro_step in range(1, micro_steps + 1):
        examples_read += sum(micro_batch for rank in range(num_ranks))
        if micro_step % accumulation_steps == 0:
            optimizer_steps += 1
    return optimizer_steps, examples_read / num_examples
