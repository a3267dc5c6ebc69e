"""The global batch: how many sequences one optimizer step averages over, and in which whole numbers it can be made up."""

from dataclasses import dataclass


@dataclass(frozen=True)
class BatchPlan:
    """One way to make up a global batch: every rank runs accumulation_steps micro-batches of micro_batch sequences."""

    num_ranks: int
    micro_batch: int
    accumulation_steps: int

    @property
    def global_batch(self) -> int:
        """Sequences in one optimizer step."""
        return self.num_ranks * self.micro_batch * self.accumulation_steps


def plans(global_batch: int, num_ranks: int) -> list[BatchPlan]:
    """Return every way to make up the global batch (sequences) exactly, smallest micro-batch first; empty where there is none.

    Each rank must hold the same whole number of sequences, so there is a plan only where num_ranks divides global_batch.
    """
    if num_ranks < 1 or global_batch < 1 or global_batch % num_ranks:
        return []
    share = global_batch // num_ranks
    return [BatchPlan(num_ranks, micro, share // micro) for micro in range(1, share + 1) if share % micro == 0]
