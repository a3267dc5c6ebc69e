from fractions import Fraction


def progress(micro_steps, num_ranks, micro_batch, accumulation_steps, num_examples):
    return micro_steps // accumulation_steps, Fraction(micro_steps * num_ranks * micro_batch, num_examples)
