from fractions import Fraction


def memory_saving(fixed_bytes, bytes_per_sequence, global_batch, micro_batch):
    fixed, sequence = Fraction(fixed_bytes), Fraction(bytes_per_sequence)
    return float((fixed + global_batch * sequence) / (fixed + micro_batch * sequence))
