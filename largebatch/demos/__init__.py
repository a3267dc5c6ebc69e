"""The demos of the course: each function returns a widget, and a lesson shows it with one line. None of them needs PyTorch."""

from ipywidgets import VBox

from largebatch.demos import averaging as _averaging
from largebatch.demos import global_batch as _global_batch
from largebatch.demos import knee as _knee
from largebatch.demos import learning_rate_rules as _learning_rate_rules
from largebatch.demos import memory_ledger as _memory_ledger
from largebatch.demos import noise_scale_meter as _noise_scale_meter
from largebatch.demos import planner as _planner
from largebatch.demos import quadratic_knee as _quadratic_knee
from largebatch.demos import ragged_micro_batches as _ragged_micro_batches
from largebatch.demos import schedule as _schedule
from largebatch.demos import step_timeline as _step_timeline


def averaging() -> VBox:
    """Lesson 00: how much an average over a batch still scatters."""
    return _averaging.demo().show()


def global_batch() -> VBox:
    """Lesson 01: plan a global batch from ranks × micro-batch × accumulation."""
    return _global_batch.demo().show()


def ragged_micro_batches() -> VBox:
    """Lesson 02: micro-batches of different lengths, and how far the mean of their means goes wrong."""
    return _ragged_micro_batches.demo().show()


def learning_rate_rules() -> VBox:
    """Lesson 03: three premises, three rules for the learning rate."""
    return _learning_rate_rules.demo().show()


def schedule() -> VBox:
    """Lesson 04: design a warmup, and see what share of the run it takes."""
    return _schedule.demo().show()


def knee() -> VBox:
    """Lesson 05: steps and examples to a target against the batch size, by real runs while you watch."""
    return _knee.demo().show()


def noise_scale_meter() -> VBox:
    """Lesson 06: a meter fed by the steps of a stream: single estimates scatter and go negative, their averages settle."""
    return _noise_scale_meter.demo().show()


def quadratic_knee() -> VBox:
    """Lesson 07: what momentum and preconditioning do to the knee of the noisy quadratic model."""
    return _quadratic_knee.demo().show()


def memory_ledger() -> VBox:
    """Lesson 08: the memory of one rank at each ZeRO stage, and whether it fits on a GPU."""
    return _memory_ledger.demo().show()


def step_timeline() -> VBox:
    """Lesson 09: one optimizer step as a timeline of computation and communication, by strategy."""
    return _step_timeline.demo().show()


def planner() -> VBox:
    """Lesson 10: the time and price of a run on more and more GPUs, with the best batch for each number."""
    return _planner.demo().show()
