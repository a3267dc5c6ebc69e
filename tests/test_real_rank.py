"""The schedules of the symbolic machine on real ranks against a single process."""

import pytest
import torch
from test_machine import REFERENCES, ddp_overlapped, zero3_prefetched

from largebatch import ranks
from largebatch.real_rank import RealRank, one_process

SCHEDULES = (*REFERENCES, ddp_overlapped, zero3_prefetched)


def train_with_all(num_layers, num_micro_batches):
    results = []
    for schedule in SCHEDULES:
        m = RealRank(num_layers, num_micro_batches)
        schedule(m)
        results.append(m.new_weights())
    return results


def test_what_the_machine_accepts_trains_like_a_single_process():
    by_rank = ranks.run(train_with_all, 3, 3, 2)
    expected = one_process(3, 3, 2)
    for schedule, *parts in zip(SCHEDULES, *by_rank, strict=True):
        whole = parts[0] if parts[0].shape == expected.shape else torch.cat(parts, dim=1)
        torch.testing.assert_close(whole, expected, rtol=1e-12, atol=1e-12, msg=schedule.__name__)


def test_what_the_machine_refuses_trains_something_else():
    def twice(num_layers, num_micro_batches):
        m = RealRank(num_layers, num_micro_batches)
        m.load()
        for micro_batch in m.micro_batches:
            m.forward(0, micro_batch)
            m.backward(0, micro_batch)
            m.all_reduce(0)
        m.update(0)
        return m.new_weights()

    assert (ranks.run(twice, 2, 1, 2)[0] - one_process(2, 1, 2)).abs().max() > 1e-3


def test_layers_without_equal_shards_are_refused():
    with pytest.raises(ranks.RankFailed, match="layers 12 wide have no equal shards for 5 ranks"):
        ranks.run(RealRank, 5, 1, 1)
