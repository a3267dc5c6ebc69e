from collections import namedtuple

Progress = namedtuple("Progress", "optimizer_steps epochs")


def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    return Progress(
        epochs=num_ranks * micro_batch * micro_steps / num_examples,
        optimizer_steps=int(micro_steps / accumulation_steps),
    )
