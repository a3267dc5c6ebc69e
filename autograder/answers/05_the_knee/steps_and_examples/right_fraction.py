from collections import namedtuple
from fractions import Fraction

Needs = namedtuple("Needs", "steps examples")


def steps_and_examples(s_min, b_crit, batch_size):
    steps = Fraction(s_min) * (1 + Fraction(b_crit) / batch_size)
    return Needs(steps=steps, examples=steps * batch_size)
