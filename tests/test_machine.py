"""The symbolic machine: reference schedules against closed forms and a second count, and every rule against a schedule that breaks it."""

from collections import Counter, defaultdict
from itertools import pairwise, product

import matplotlib.pyplot as plt
import pytest

from largebatch.check import WrongAnswer
from largebatch.machine import Machine, Refused

# -- reference schedules: N ranks, L layers, K micro-batches; a layer has 1 GB of weights, 1 of gradients, 6 of optimizer state ---------


def passes(m, micro_batch, after_backward=lambda layer: None):
    """Forward and backward through layers that are whole."""
    for layer in m.layers:
        m.forward(layer, micro_batch)
    for layer in reversed(m.layers):
        m.backward(layer, micro_batch)
        after_backward(layer)


def ddp(m):
    m.load()
    for micro_batch in m.micro_batches:
        passes(m, micro_batch)
    for layer in m.layers:
        m.all_reduce(layer)
        m.update(layer)


def zero1(m):
    m.load(optimizer="shard")
    for micro_batch in m.micro_batches:
        passes(m, micro_batch)
    for layer in m.layers:
        m.reduce_scatter(layer)
        m.update(layer)
        m.all_gather(layer)


def zero2(m):
    m.load(optimizer="shard")
    for micro_batch in m.micro_batches:
        passes(m, micro_batch, after_backward=m.reduce_scatter)
    for layer in m.layers:
        m.update(layer)
        m.all_gather(layer)


def zero3(m):
    m.load(weights="shard", optimizer="shard")
    for micro_batch in m.micro_batches:
        for layer in m.layers:
            m.all_gather(layer)
            m.forward(layer, micro_batch)
            m.free(layer)
        for layer in reversed(m.layers):
            m.all_gather(layer)
            m.backward(layer, micro_batch)
            m.reduce_scatter(layer)
            m.free(layer)
    for layer in m.layers:
        m.update(layer)


def zero3_prefetched(m):
    m.load(weights="shard", optimizer="shard")
    for micro_batch in m.micro_batches:
        m.all_gather(0)
        for layer in m.layers:
            if layer + 1 in m.layers:
                m.all_gather(layer + 1, async_op=True)
            m.forward(layer, micro_batch)
            m.free(layer)
        m.all_gather(m.layers[-1])
        for layer in reversed(m.layers):
            if layer > 0:
                m.all_gather(layer - 1, async_op=True)
            m.backward(layer, micro_batch)
            m.reduce_scatter(layer, async_op=True)
            m.free(layer)
    for layer in m.layers:
        m.update(layer)


def ddp_overlapped(m):
    m.load()
    for micro_batch in m.micro_batches:
        last = micro_batch == m.micro_batches[-1]
        passes(m, micro_batch, lambda layer: m.all_reduce(layer, async_op=True) if last else None)  # noqa: B023
    for layer in reversed(m.layers):
        m.update(layer)


REFERENCES = (ddp, zero1, zero2, zero3)
MACHINES = [(2, 2, 2), (4, 4, 3), (3, 5, 2), (2, 6, 4)]


@pytest.mark.parametrize("sizes", MACHINES)
def test_reference_schedules_take_what_the_closed_forms_say(sizes):
    (n, layers, k), a = sizes, 2.0
    one_way = (n - 1) / n  # of a GB, in a time of one: the bandwidth is 1
    work = 3 * k * layers
    expected = {  # memory with a whole gradient from earlier micro-batches; bytes; time without overlap
        ddp: (8 * layers + a * layers, 2 * one_way * layers, work + layers * (2 * one_way + 0.5)),
        zero1: ((2 + 6 / n + a) * layers, 2 * one_way * layers, work + layers * (2 * one_way + 0.5 / n)),
        zero2: (
            (1 + 7 / n + a) * layers + 1,
            (k + 1) * one_way * layers,
            work + layers * ((k + 1) * one_way + 0.5 / n),
        ),
        zero3: ((8 / n + a) * layers + 2, 3 * k * one_way * layers, work + layers * (3 * k * one_way + 0.5 / n)),
    }
    for schedule, (memory, sent, time) in expected.items():
        run = Machine(n, layers, k, activations=a).run(schedule)
        assert (run.memory, run.sent, run.time) == pytest.approx((memory, sent, time)), schedule.__name__
        run.check()


@pytest.mark.parametrize("sizes", MACHINES)
def test_prefetching_hides_all_collectives_but_three_a_micro_batch(sizes):
    n, layers, k = sizes
    one_way = (n - 1) / n
    run = Machine(n, layers, k).run(zero3_prefetched)
    assert run.time == pytest.approx(k * (3 * layers + 3 * one_way) + layers * 0.5 / n)
    assert run.memory == pytest.approx((8 / n + 2) * layers + 3)
    assert run.sent == pytest.approx(3 * k * one_way * layers)


def test_overlapped_all_reduces_wait_only_for_the_last_or_for_the_link():
    n, layers, k = 4, 4, 2
    for bandwidth in (10.0, 0.5):
        seconds = 2 * (n - 1) / n / bandwidth  # of one all-reduce
        run = Machine(n, layers, k, bandwidth=bandwidth).run(ddp_overlapped)
        if seconds > 2:  # the link is the bottleneck from the first all-reduce on, which starts after one backward pass
            assert run.time == pytest.approx(3 * k * layers - 2 * (layers - 1) + layers * seconds + 0.5)
        else:  # while the last all-reduce runs, the other layers are updated
            assert run.time == pytest.approx(3 * k * layers + max(seconds, 0.5 * (layers - 1)) + 0.5)


@pytest.mark.parametrize("sizes", [(1, 1, 1), (1, 3, 2), (3, 1, 1)])
def test_a_single_rank_sends_nothing_and_the_smallest_machines_work(sizes):
    for schedule in (*REFERENCES, zero3_prefetched):
        run = Machine(*sizes).run(schedule)
        run.check()
        assert (run.sent == 0) == (sizes[0] == 1)


def of(*calls):
    """Return a schedule of these calls: (method, arguments…)."""

    def schedule(m):
        for name, *arguments in calls:
            getattr(m, name)(*arguments)

    return schedule


LOAD, SHARDS = ("load",), ("load", "shard", "shard")
PASS = (("forward", 0, 0), ("forward", 1, 0), ("backward", 1, 0), ("backward", 0, 0))
GATHER = (("all_gather", 0), ("all_gather", 1))
AGAIN = (("forward", 0, 1), ("forward", 1, 1), ("backward", 1, 1), ("backward", 0, 1))


# -- a second count: operations without overlap, one after the other, a running total of the memory ---------------------------------


class Tally:
    """Count what one rank does, for schedules that are right; no symbols, no rules, no streams."""

    def __init__(self, n, layers, k, activations):
        self.n, self.layers, self.micro_batches, self.a = n, range(layers), range(k), activations
        self.total = self.peak = self.time = self.sent = 0.0
        self.whole = self.share = None
        self.gradients, self.shards, self.gathered = set(), set(), set()

    def step(self, more=0.0, less=0.0, time=0.0, sent=0.0):
        self.total += more
        self.peak = max(self.peak, self.total)
        self.total -= less
        self.time, self.sent = self.time + time + sent, self.sent + sent

    def load(self, weights="whole", optimizer="whole"):
        self.whole, self.share = weights == "whole", {"whole": 1, "shard": 1 / self.n}[optimizer]
        self.step(more=len(self.layers) * ((1 if self.whole else 1 / self.n) + 6 * self.share))

    def forward(self, layer, micro_batch):
        self.step(more=self.a, time=1)

    def backward(self, layer, micro_batch):
        self.step(more=layer not in self.gradients, less=self.a, time=2)
        self.gradients.add(layer)

    def all_reduce(self, layer):
        self.step(sent=2 * (self.n - 1) / self.n)

    def reduce_scatter(self, layer):
        self.step(more=0 if layer in self.shards else 1 / self.n, less=1, sent=(self.n - 1) / self.n)
        self.shards.add(layer)
        self.gradients.remove(layer)

    def all_gather(self, layer):
        self.step(more=not self.whole, sent=(self.n - 1) / self.n)

    def free(self, layer):
        self.step(less=1)

    def update(self, layer):
        self.step(less=1 / self.n if layer in self.shards else 1, time=0.5 * self.share)


@pytest.mark.parametrize("schedule", REFERENCES)
@pytest.mark.parametrize("sizes", [*MACHINES, (5, 3, 1)])
@pytest.mark.parametrize("activations", [0.0, 0.25, 7.0])
def test_a_second_count_agrees(schedule, sizes, activations):
    tally = Tally(*sizes, activations)
    schedule(tally)
    run = Machine(*sizes, activations=activations).run(schedule)
    assert (run.memory, run.sent, run.time) == pytest.approx((tally.peak, tally.sent, tally.time))


@pytest.mark.parametrize("schedule", [ddp_overlapped, zero3_prefetched, zero3])
def test_streams_carry_one_thing_at_a_time_and_inputs_come_first(schedule):
    run = Machine(3, 4, 3, bandwidth=0.4).run(schedule)
    for rank in run.ranks:
        streams, done = defaultdict(list), {}
        for operation, start, end in rank.bars:
            streams["async_op" in operation.arguments].append((start, end))
            done[str(operation)] = start, end
        for stream in streams.values():
            assert all(end <= start + 1e-9 for (_, end), (start, _) in pairwise(sorted(stream)))
        for layer, k in product(range(4), range(3)):
            assert done[f"forward({layer}, {k})"][1] <= done[f"backward({layer}, {k})"][0]
            assert done[f"backward({layer}, 2)"][1] <= done[f"update({layer})"][0]
        moments = sorted({moment for item in rank.items for moment in (item.start, item.end)})
        middles = [(early + late) / 2 for early, late in pairwise(moments) if late < float("inf")]
        held = [sum(item.size for item in rank.items if item.start < t < item.end) for t in middles]
        assert max(held) <= run.memory + 1e-9
        assert max(held) == pytest.approx(run.memory)


def test_collectives_of_all_ranks_start_and_end_together():
    def late(m):
        m.load()
        passes(m, 0)
        if m.rank == 1:
            passes(m, 1)
        m.all_reduce(0)

    run = Machine(2, 1, 2).run(late)
    assert [rank.bars[-1][1:] for rank in run.ranks] == [(6.0, 7.0), (6.0, 7.0)]
    with pytest.raises(WrongAnswer, match="layer 0 of rank 0 was not"):
        run.check()


def test_what_is_freed_on_its_way_is_waited_for():
    run = Machine(2, 2, 2).run(of(SHARDS, ("all_gather", 0), ("all_gather", 1, True), ("free", 1), ("forward", 0, 0)))
    assert run.ranks[0].bars[-1][1:] == (1.0, 2.0)  # the second gather ends at 1
    assert run.memory == 10  # 7 of shards, 1 of whole weights, 2 of activations


def test_the_step_ends_with_the_last_collective():
    step = (("forward", 0, 0), ("backward", 0, 0), ("reduce_scatter", 0), ("update", 0), ("all_gather", 0, True))
    run = Machine(2, 1, 1).run(of(("load", "whole", "shard"), *step))
    run.check()
    assert run.time == 1 + 2 + 0.5 + 0.25 + 0.5


def test_after_the_step_a_rank_holds_what_it_was_loaded_with():
    loaded = {
        ddp: 28,
        zero1: 4 + 24 / 3,
        zero2: 4 + 24 / 3,
        zero3: 28 / 3,
        zero3_prefetched: 28 / 3,
    }  # GB of four layers
    for schedule, size in loaded.items():
        for rank in Machine(3, 4, 2).run(schedule).ranks:
            assert sum(item.size for item in rank.held.values()) == pytest.approx(size)


# -- rules ------------------------------------------------------------------------------------------------------------------------


RULES = {
    "nothing loaded": (of(PASS[0]), "begin with m.load"),
    "a collective before anything is loaded": (of(("all_gather", 0)), "begin with m.load"),
    "loaded twice": (of(LOAD, LOAD), "load once"),
    "a word that load does not know": (of(("load", "half")), "weights='half'"),
    "sharded weights with a whole optimizer": (of(("load", "shard")), "can only update that shard"),
    "forward on a shard": (of(SHARDS, PASS[0]), "all_gather makes a shard whole"),
    "backward on a freed layer": (
        of(SHARDS, ("all_gather", 0), PASS[0], ("free", 0), ("backward", 0, 0)),
        r"weights of layer 0, for backward\(0, 0\).*\n.*gone since time 1.5, after free\(0\)",
    ),
    "layers out of order": (of(LOAD, PASS[1]), "go from the first layer to the last"),
    "the same micro-batch forward twice": (of(LOAD, PASS[0], PASS[0]), "this one came before"),
    "forward again after backward": (of(LOAD, *PASS, PASS[0]), "this one came before"),
    "backward without forward": (of(LOAD, PASS[3]), "activations of layer 0 for micro-batch 0.*\n.*there was none"),
    "backward twice": (of(LOAD, *PASS, PASS[2]), r"gone since time 4, after backward\(1, 0\)"),
    "backward from the first layer": (of(LOAD, *PASS[:2], PASS[3]), "go from the last layer to the first"),
    "a collective without a gradient": (of(LOAD, ("all_reduce", 0)), "the backward passes come before"),
    "a scatter without a gradient": (of(LOAD, ("reduce_scatter", 0)), "the backward passes come before"),
    "gathering what is whole": (of(LOAD, ("all_gather", 0)), "it is whole already"),
    "gathering twice": (of(SHARDS, ("all_gather", 0), ("all_gather", 0)), "it is whole already"),
    "freeing the only copy": (of(LOAD, ("free", 0)), "the only copy on this rank"),
    "freeing twice": (of(SHARDS, ("all_gather", 0), ("free", 0), ("free", 0)), "free what was gathered, once"),
    "freeing a shard": (of(SHARDS, ("free", 0)), "there was none so far"),
    "update without a gradient": (of(LOAD, ("update", 0)), "the backward passes come before"),
    "update before the ranks are added up": (
        of(LOAD, *PASS, *AGAIN, ("update", 0)),
        "2 of 4, not micro-batch 0 of rank 1",
    ),
    "update before the last micro-batch": (
        of(LOAD, *PASS, ("all_reduce", 0), ("update", 0)),
        "2 of 4, not micro-batch 1 of rank 0.*\n.*all backward passes come before",
    ),
    "all-reduce of the first micro-batch only": (
        of(LOAD, *PASS, ("all_reduce", 0), *AGAIN, ("update", 0)),
        "3 of 4, not micro-batch 1 of rank 1.*\n.*adds up the ranks",
    ),
    "all-reduce of what was all-reduced": (
        of(LOAD, *PASS, ("all_reduce", 0), *AGAIN, ("all_reduce", 0)),
        "micro-batch 0 of rank 0 2 times",
    ),
    "scatter of what was all-reduced": (
        of(("load", "whole", "shard"), *PASS, ("all_reduce", 0), ("reduce_scatter", 0)),
        "micro-batch 0 of rank 0 2 times",
    ),
    "a shard of the gradient for a whole optimizer": (
        of(LOAD, *PASS, *AGAIN, ("reduce_scatter", 0), ("update", 0)),
        "a whole optimizer state needs a whole sum: all_reduce",
    ),
    "a micro-batch that was not scattered": (
        of(("load", "whole", "shard"), *PASS, ("reduce_scatter", 0), *AGAIN, ("update", 0)),
        "2 of 4, not micro-batch 1 of rank 0",
    ),
    "updated twice": (
        of(LOAD, *PASS, *AGAIN, ("all_reduce", 0), ("update", 0), ("update", 0)),
        "update each layer once",
    ),
    "forward after the update": (
        of(LOAD, *PASS, *AGAIN, ("all_reduce", 0), ("update", 0), ("forward", 0, 0)),
        "all micro-batches see the same weights",
    ),
    "forward with gathered weights after the update of the shard": (
        of(SHARDS, *GATHER, *PASS, *AGAIN, ("reduce_scatter", 0), ("update", 0), ("forward", 0, 0)),
        "all micro-batches see the same weights",
    ),
    "a collective that one rank leaves out": (
        lambda m: (of(LOAD, *PASS)(m), m.rank == 0 and m.all_reduce(1)),
        r"rank 0: all_reduce\(1\); rank 1: at its end\n.*hang",
    ),
    "collectives in another order": (
        lambda m: (of(LOAD, *PASS)(m), m.all_reduce(m.rank)),
        r"rank 0: all_reduce\(0\); rank 1: all_reduce\(1\)",
    ),
    "another collective": (
        lambda m: (of(LOAD, *PASS)(m), m.all_reduce(0) if m.rank else m.reduce_scatter(0)),
        r"rank 0: reduce_scatter\(0\); rank 1: all_reduce\(0\)",
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_what_makes_no_sense_is_refused_with_a_sentence_that_says_why(rule):
    schedule, words = RULES[rule]
    with pytest.raises(Refused, match=words):
        Machine(2, 2, 2).run(schedule)


def test_a_refusal_says_where_and_when():
    with pytest.raises(Refused, match=r"for backward\(0, 0\) on rank 0 at time 1 \(line \d+\)"):
        Machine(2, 2, 2).run(of(LOAD, PASS[0], PASS[3]))


@pytest.mark.parametrize(
    "call", [("forward", 2, 0), ("forward", 0, 2), ("update", -1), ("all_gather", 2), ("free", None)]
)
def test_there_are_no_other_layers_and_micro_batches(call):
    with pytest.raises(ValueError, match=f"{call[0]}: there is no .* only 0 to 1"):
        Machine(2, 2, 2).run(of(LOAD, call))


@pytest.mark.parametrize(
    "wrong",
    [
        {"num_ranks": 0}, {"num_layers": 0}, {"num_micro_batches": 0}, {"num_ranks": 2.5}, {"activations": -1}, {"bandwidth": 0},
        {"memory": float("nan")},
    ],
)  # fmt: skip
def test_machines_that_cannot_be(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} of a machine"):
        Machine(**{"num_ranks": 2, "num_layers": 2, "num_micro_batches": 2} | wrong)


# -- the end of the step, and its budgets -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        (lambda m: None, "layer 0 of rank 0 was not"),
        (of(LOAD, *PASS, *AGAIN, ("all_reduce", 0), ("update", 0)), "layer 1 of rank 0 was not"),
        (
            lambda m: (
                of(LOAD, *PASS, *AGAIN, ("all_reduce", 0), ("all_reduce", 1))(m),
                m.rank or m.update(0),
                m.update(1),
            ),
            "layer 0 of rank 1 was not",
        ),
        (
            of(("load", "whole", "shard"), *PASS, *AGAIN, ("reduce_scatter", 0), ("update", 0)),
            "its own shard new.*\n.*all_gather",
        ),
    ],
)
def test_a_step_must_leave_new_weights_on_every_rank(schedule, words):
    with pytest.raises(WrongAnswer, match=words):
        Machine(2, 2, 2).run(schedule).check()


def forward_first(m):
    m.load()
    for micro_batch in m.micro_batches:
        for layer in m.layers:
            m.forward(layer, micro_batch)
    for micro_batch in m.micro_batches:
        for layer in reversed(m.layers):
            m.backward(layer, micro_batch)
    for layer in m.layers:
        m.all_reduce(layer)
        m.update(layer)


def whole_gradients(m):
    """Sharded weights, but gradients stay whole until the last micro-batch."""
    m.load(weights="shard", optimizer="shard")
    for micro_batch in m.micro_batches:
        for layer in m.layers:
            m.all_gather(layer)
            m.forward(layer, micro_batch)
            m.free(layer)
        for layer in reversed(m.layers):
            m.all_gather(layer)
            m.backward(layer, micro_batch)
            m.free(layer)
    for layer in m.layers:
        m.reduce_scatter(layer)
        m.update(layer)


def gather_everything(m):
    m.load(weights="shard", optimizer="shard")
    for layer in m.layers:
        m.all_gather(layer)
    for micro_batch in m.micro_batches:
        passes(m, micro_batch, after_backward=m.reduce_scatter)
    for layer in m.layers:
        m.update(layer)


BUDGETS = {  # reference → (budgets equal to what it takes; a schedule that breaks one of them; what is said)
    "memory is for one micro-batch": (ddp, "memory", forward_first, "activations of 3 micro-batches at once"),
    "sharded optimizer": (zero1, "memory", ddp, "every rank holds the whole optimizer state"),
    "accumulation keeps whole gradients": (zero2, "memory", zero1, "4 whole gradients at once: accumulation does not"),
    "sharded weights, whole gradients": (zero3, "memory", whole_gradients, "4 whole gradients at once"),
    "everything gathered": (zero3, "memory", gather_everything, "whole weights of 4 layers at once"),
    "one layer ahead is more": (zero3, "memory", zero3_prefetched, "whole weights of 2 layers at once"),
    "bytes: scatter each micro-batch": (ddp, "sent", zero2, "reduce_scatter 3 times, all_gather 1 times"),
    "bytes: sharded weights are not free": (zero2, "sent", zero3, "reduce_scatter 3 times, all_gather 6 times"),
    "time: without overlap": (zero3_prefetched, "time", zero3, "computes for 36.5 and waits for 27"),
}


@pytest.mark.parametrize("case", BUDGETS)
def test_budgets_are_enforced_and_the_reason_is_named(case):
    reference, name, other, words = BUDGETS[case]
    machine = Machine(4, 4, 3)
    tight = Machine(4, 4, 3, **{name: getattr(machine.run(reference), name)})
    tight.run(reference).check()
    with pytest.raises(WrongAnswer, match=f"{name}: at most(.*\n)*.*{words}"):
        tight.run(other).check()
    tighter = Machine(4, 4, 3, **{name: getattr(tight, name) * 0.9999})
    with pytest.raises(WrongAnswer, match=f"{name}: at most"):
        tighter.run(reference).check()


def test_of_equal_peaks_the_first_is_named():
    """Weights, optimizer state, activations and gradient: from the first backward pass on, and again in the second micro-batch."""
    held, rank, when = Machine(2, 1, 2).run(ddp).peak
    assert (held, rank.rank, when) == (10, 0, 1)


def test_what_the_budgets_say_of_the_whole_step(capsys):
    Machine(2, 2, 1, memory=100).run(ddp).check()
    assert capsys.readouterr().out.splitlines() == ["memory: 19 of 100 GB", "sent: 2 GB", "time: 9 forward passes"]


@pytest.mark.parametrize("schedule", [*REFERENCES, zero3_prefetched, lambda m: None, lambda m: m.load()])
def test_every_run_can_be_drawn(schedule):
    figure = Machine(3, 2, 2, memory=30).run(schedule).draw()
    figure.canvas.draw()
    plt.close(figure)


def in_an_order_of_its_own(m):
    """Data parallelism in which rank 1 updates the layers the other way round."""
    m.load()
    for layer in m.layers:
        m.forward(layer, 0)
    for layer in reversed(m.layers):
        m.backward(layer, 0)
    for layer in m.layers:
        m.all_reduce(layer)
    for layer in m.layers if m.rank == 0 else reversed(m.layers):
        m.update(layer)


@pytest.mark.parametrize(("schedule", "drawn_ranks"), [(zero2, 1), (in_an_order_of_its_own, 2)])
def test_the_drawing_shows_every_operation_where_it_ran_and_equal_ranks_once(schedule, drawn_ranks):
    run = Machine(2, 3, 1).run(schedule)
    lanes, memory = (figure := run.draw()).axes
    drawn = Counter((round(bar.get_x(), 6), round(bar.get_width(), 6)) for bar in lanes.patches if bar.get_width())
    assert drawn == Counter(
        (round(start, 6), round(end - start, 6)) for rank in run.ranks[:drawn_ranks] for _, start, end in rank.bars
    )
    names = [label.get_text() for label in lanes.get_yticklabels()]
    assert names[0] == ("every rank computes" if drawn_ranks == 1 else "rank 0 computes")
    assert memory.get_ylim()[1] >= run.memory
    plt.close(figure)


def test_what_a_rank_stood_still_for_is_named():
    with pytest.raises(WrongAnswer) as late:
        Machine(4, 2, 1, time=1).run(in_an_order_of_its_own).check()
    assert "waits for 3: all_reduce 3" in str(late.value)


def test_whole_weights_beside_shards_of_the_rest_are_named():
    def schedule(m):
        m.load(optimizer="shard")
        m.forward(0, 0)
        m.forward(1, 0)
        m.backward(1, 0)
        m.reduce_scatter(1)
        m.backward(0, 0)
        m.reduce_scatter(0)
        for layer in m.layers:
            m.update(layer)
            m.all_gather(layer)

    with pytest.raises(WrongAnswer, match=r'load\(weights="shard"\)'):
        Machine(4, 2, 1, memory=1).run(schedule).check()
