"""The engines of the knee against plain loops: the published table, the optimum, the tuned sweep, and the sweep's share of the roofline.

Every round runs all ways in turn, and a ratio compares two ways in one round, so that other load on the machine hits both alike. One
thread, seconds of the processor; float64, but the many-configuration mode computes in float32. numba is no dependency of the course:
its rows are filled where it is installed.

usage: python benchmarks/knee.py
"""

import os

THREADS = "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"
os.environ.update(dict.fromkeys(THREADS, "1"))  # NumPy and PyTorch read them when they are imported

import copy  # noqa: E402
import time  # noqa: E402
from collections import defaultdict  # noqa: E402
from collections.abc import Callable, Iterable, Iterator  # noqa: E402
from dataclasses import dataclass  # noqa: E402
from functools import cache, partial  # noqa: E402
from itertools import count, pairwise  # noqa: E402
from statistics import median  # noqa: E402

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch.nn.functional import binary_cross_entropy_with_logits  # noqa: E402
from tqdm import trange  # noqa: E402

from largebatch import knee  # noqa: E402
from largebatch.descent import Curves, epochs_to_target  # noqa: E402
from largebatch.logistic import LogisticRegression  # noqa: E402

ROUNDS = 5
DESCENT_STEPS = 4000
SQUARE = 512  # rows of the large matrices, whose product is as quick as products get
SAMPLE = 4  # runs of each batch size, drawn anew each round, that stand for all where runs are made one at a time
GOALS = {"exact": 1.8, "sweep": 10, "optimum": 30}  # times as fast

PLAIN, EXACT = "plain loop", "ours, exact mode"
SINGLE, MANY = "one run at a time, loss only where wanted", "ours, many configurations"
DESCENT, NEWTON = "descent, gradient alone", "ours, Newton"
NUMBA_EPOCHS, NUMBA_RUNS = "numba, one call an epoch", "numba, one run at a time"

Times = dict[str, list[float]]  # seconds of each way, round by round

# -- engines: one run each ---------------------------------------------------------------------------------------------------------

Schedule = Callable[[int], float]  # the learning rate of a step
Stretches = Iterable[np.ndarray]  # examples of the batches until the next loss is wanted, such as an epoch
Losses = Iterator[float]  # after each stretch
Engine = Callable[[LogisticRegression, int, Schedule, Stretches], Losses]  # problem, batch size, …


def warmed(rate: float, warmup_steps: int, step: int) -> float:
    """Return the learning rate of a step."""
    return rate * (step + 1) / warmup_steps if step < warmup_steps else rate


def loss_and_gradient(weights: np.ndarray, features: np.ndarray, labels: np.ndarray) -> tuple[float, np.ndarray]:
    """Return both, always, as textbooks do."""
    probability = 1 / (1 + np.exp(-(features @ weights)))
    loss = -(labels * np.log(probability + 1e-12) + (1 - labels) * np.log(1 - probability + 1e-12)).mean()
    return loss, features.T @ (probability - labels) / len(labels)


def plain(problem: LogisticRegression, batch_size: int, rate_at: Schedule, stretches: Stretches) -> Losses:
    """In the style of the publication: a step gathers its batch, computes loss and gradient, and checks that nothing overflowed."""
    weights, step = np.zeros(problem.features.shape[1]), 0
    for stretch in stretches:
        for start in range(0, len(stretch), batch_size):
            chosen = stretch[start : start + batch_size]
            _, gradient = loss_and_gradient(weights, problem.features[chosen], problem.labels[chosen])
            if not np.isfinite(gradient).all():
                return
            weights -= rate_at(step) * gradient
            step += 1
        yield loss_and_gradient(weights, problem.features, problem.labels)[0]


def lean(problem: LogisticRegression, batch_size: int, rate_at: Schedule, stretches: Stretches) -> Losses:
    """Like plain, but the loss is computed only where it is wanted, and nothing is checked within a stretch."""
    features, labels, step = problem.features, problem.labels, 0
    weights = np.zeros(features.shape[1])
    for stretch in stretches:
        for start in range(0, len(stretch), batch_size):
            chosen = stretch[start : start + batch_size]
            batch = features[chosen]
            residuals = 1 / (1 + np.exp(-(batch @ weights))) - labels[chosen]
            weights -= rate_at(step) / len(chosen) * (residuals @ batch)
            step += 1
        yield problem.loss(weights)


def torch_autograd(problem: LogisticRegression, batch_size: int, rate_at: Schedule, stretches: Stretches) -> Losses:
    """As usual in PyTorch: loss, backward, optimizer."""
    features, labels = torch.from_numpy(problem.features), torch.from_numpy(problem.labels)
    weights = torch.zeros(features.shape[1], dtype=features.dtype, requires_grad=True)
    optimizer, step = torch.optim.SGD([weights]), 0
    for stretch in stretches:
        for chosen in torch.from_numpy(stretch).split(batch_size):
            optimizer.param_groups[0]["lr"] = rate_at(step)
            optimizer.zero_grad()
            binary_cross_entropy_with_logits(features[chosen] @ weights, labels[chosen]).backward()
            optimizer.step()
            step += 1
        yield binary_cross_entropy_with_logits(features @ weights, labels).item()


def torch_by_hand(problem: LogisticRegression, batch_size: int, rate_at: Schedule, stretches: Stretches) -> Losses:
    """PyTorch's tensors with the gradient written out."""
    features, labels = torch.from_numpy(problem.features), torch.from_numpy(problem.labels)
    weights, step = torch.zeros(features.shape[1], dtype=features.dtype), 0
    for stretch in stretches:
        with torch.inference_mode():
            for chosen in torch.from_numpy(stretch).split(batch_size):
                batch = features[chosen]
                residuals = torch.sigmoid(batch @ weights) - labels[chosen]
                weights -= rate_at(step) / len(chosen) * (residuals @ batch)
                step += 1
            loss = binary_cross_entropy_with_logits(features @ weights, labels).item()
        yield loss


@cache
def numba_kernel() -> Callable | None:
    """Return the descent over one stretch as one compiled function, None where numba is not installed."""
    try:
        import numba
    except ImportError:
        return None

    @numba.njit(fastmath=True)
    def descend(features, labels, stretch, batch_size, rates, weights):
        gradient = np.empty_like(weights)
        for step in range(len(rates)):
            chosen = stretch[step * batch_size : (step + 1) * batch_size]
            gradient[:] = 0
            for example in chosen:
                logit = 0.0
                for k in range(len(weights)):
                    logit += features[example, k] * weights[k]
                residual = 1 / (1 + np.exp(-logit)) - labels[example]
                for k in range(len(weights)):
                    gradient[k] += residual * features[example, k]
            for k in range(len(weights)):
                weights[k] -= rates[step] / len(chosen) * gradient[k]

    return descend


def numba_fused(problem: LogisticRegression, batch_size: int, rate_at: Schedule, stretches: Stretches) -> Losses:
    """One compiled call a stretch, in which batches are never copied; the losses by NumPy."""
    weights, step = np.zeros(problem.features.shape[1]), 0
    for stretch in stretches:
        rates = np.array([rate_at(step + more) for more in range(-(-len(stretch) // batch_size))])
        numba_kernel()(problem.features, problem.labels, stretch, batch_size, rates, weights)
        step += len(rates)
        yield problem.loss(weights)


# -- timing ----------------------------------------------------------------------------------------------------------------------


def timed(action: Callable[[], object]) -> tuple[float, object]:
    """Return the processor's seconds for an action, and its result; on one thread they are the clock's on an idle machine."""
    start = time.process_time()
    result = action()
    return time.process_time() - start, result


def least_seconds(action: Callable[[], object], budget: float = 0.05) -> float:
    """Return the seconds of an action at its quickest, repeated for about `budget` seconds and three times at least."""
    end, least = time.perf_counter() + budget, float("inf")
    for repeats in count():
        start = time.perf_counter()
        action()
        least = min(least, time.perf_counter() - start)
        if repeats >= 2 and start > end:
            return least


def ratios(times: Times, slow: str, quick: str) -> list[float]:
    """Return how many times as fast one way is as another, round by round."""
    return [base / seconds for base, seconds in zip(times[slow], times[quick], strict=True)]


def spread(values: list[float]) -> str:
    """Return median and range."""
    return f"{median(values):.3g} ({min(values):.3g} to {max(values):.3g})"


def print_table(title: str, times: Times, base: str, notes: dict[str, str]) -> None:
    """Print seconds of all ways and how they compare with the base; a way that did not run has a note in their place."""
    print(f"\n| {title} | seconds | times as fast: median (range) |")
    print("|---|---|---|")
    for way in times | notes:
        if way in times:
            print(f"| {way}{notes.get(way, '')} | {median(times[way]):.3g} | {spread(ratios(times, base, way))} |")
        else:
            print(f"| {way}{notes[way]} | | |")


# -- the published table ---------------------------------------------------------------------------------------------------------


def cell(
    engine: Engine,
    problem: LogisticRegression,
    target_loss: float,
    batch_size: int,
    rate: float,
    warmup_steps: int,
    max_epochs: int,
    rng: np.random.Generator,
) -> int | None:
    """Do with an engine what `epochs_to_target` does."""
    orders = (rng.permutation(problem.num_examples) for _ in range(max_epochs))
    losses = engine(problem, batch_size, partial(warmed, rate, warmup_steps), orders)
    return next((epoch for epoch, loss in enumerate(losses, 1) if loss <= target_loss), None)


def published_runs() -> Iterator[tuple[int, float, int]]:
    """Yield batch size, learning rate and warmup of each cell, in the order of the publication."""
    for batch_size in knee.PUBLISHED_BATCHES:
        yield batch_size, knee.BASE_RATE, 0
        yield batch_size, knee.BASE_RATE * batch_size / knee.BASE_BATCH, knee.published_warmup(batch_size)


@cache
def published() -> tuple[LogisticRegression, np.random.Generator, list[int | None]]:
    """Return the problem of the publication, the random stream after it, and the cells of the table."""
    return *knee.published_problem(), [epochs for row in knee.published_table() for epochs in row[1:]]


def exact_round(times: Times) -> None:
    """Time the published table, each cell by each way in turn, the optimum not counted; assert that all tables are equal."""
    problem, rng, expected = published()
    target_loss = problem.least_loss + knee.PUBLISHED_EXCESS
    ways = {
        PLAIN: partial(cell, plain),
        EXACT: epochs_to_target,
        "torch, autograd and SGD": partial(cell, torch_autograd),
        "torch, gradient by hand": partial(cell, torch_by_hand),
    }
    if numba_kernel():
        ways[NUMBA_EPOCHS] = partial(cell, numba_fused)
    streams = {way: copy.deepcopy(rng) for way in ways}
    spent, cells = defaultdict(float), defaultdict(list)
    for run in published_runs():
        for way, cell_of in ways.items():
            seconds, epochs = timed(partial(cell_of, problem, target_loss, *run, knee.MAX_EPOCHS, streams[way]))
            spent[way] += seconds
            cells[way].append(epochs)
    for way, seconds in spent.items():
        assert cells[way] == expected, f"{way}: another table"
        times[way].append(seconds)


# -- the optimum -----------------------------------------------------------------------------------------------------------------


def descent(gradient: Callable[[np.ndarray], np.ndarray], dimension: int) -> np.ndarray:
    """Return the weights after full-batch descent at rate 1."""
    weights = np.zeros(dimension)
    for _ in range(DESCENT_STEPS):
        weights -= gradient(weights)
    return weights


def optimum_round(times: Times) -> None:
    """Time the optimum by each way, Newton on a problem that has not computed it yet, and assert that all are equal."""
    problem, _, _ = published()
    features, labels = problem.features, problem.labels
    dimension = features.shape[1]
    ways = {
        DESCENT: lambda: descent(problem.gradient, dimension),
        "descent, loss and gradient": lambda: descent(lambda w: loss_and_gradient(w, features, labels)[1], dimension),
        NEWTON: lambda: LogisticRegression(features, labels).optimum,
    }
    for way, action in ways.items():
        seconds, weights = timed(action)
        np.testing.assert_allclose(weights, problem.optimum, rtol=0, atol=1e-9, err_msg=way)
        times[way].append(seconds)


# -- the tuned sweep -------------------------------------------------------------------------------------------------------------


def one_run(
    engine: Engine, problem: LogisticRegression, batch_size: int, rate: float, steps: np.ndarray, draw: Callable
) -> np.ndarray:
    """Return the excess loss of one run at `steps` but the first; draw(n) returns the examples of n batches, shape (n, batch size)."""
    stretches = (draw(until - since).ravel() for since, until in pairwise(steps))
    return np.array(list(engine(problem, batch_size, partial(warmed, rate, 0), stretches))) - problem.least_loss


def sampled_seconds(engine: Engine, batch_size: int, curves: Curves, rng: np.random.Generator) -> float:
    """Return the seconds of all runs of a batch size made one at a time, scaled up from a sample of them.

    A run is told how many steps it has to make, which the sweep finds out by itself, and makes no other steps or losses.
    """
    problem = knee.uneven_problem()

    def draw(steps: int) -> np.ndarray:
        return rng.integers(0, problem.num_examples, (steps, batch_size))

    rates = rng.choice(curves.rates, SAMPLE, replace=False)
    seconds, _ = timed(lambda: [one_run(engine, problem, batch_size, rate, curves.steps, draw) for rate in rates])
    return seconds * knee.NUM_SEEDS * len(curves.rates) / SAMPLE


def sweep_round(number: int, times: Times) -> list[Curves]:
    """Time one tuned sweep, each batch size in turn with runs made one at a time, and return its curves."""
    problem, rng = knee.uneven_problem(), np.random.default_rng(number)
    hardest = min(knee.TARGETS) * problem.initial_excess
    engines = {"plain loop, one run at a time": plain, SINGLE: lean}
    if numba_kernel():
        engines[NUMBA_RUNS] = numba_fused
    spent, sweep = defaultdict(float), []
    for batch_size in knee.BATCHES:
        seconds, curves = timed(
            lambda batch=batch_size: next(knee.tuned_sweep(problem, hardest, number, batches=[batch]))
        )
        for way, engine in engines.items():
            spent[way] += sampled_seconds(engine, batch_size, curves, rng)
        spent[MANY] += seconds
        sweep.append(curves)
    for way, seconds in spent.items():
        times[way].append(seconds)
    return sweep


def largest_difference(sweep: list[Curves], seed: int) -> float:
    """Return by how much, in nats, curves of the sweep differ from the same runs made one at a time, on the same batches.

    One run of each batch size, with a rate up to the best one: at unstable rates rounding errors grow from step to step.
    """
    problem, rng, differences = knee.uneven_problem(), np.random.default_rng(seed), []
    for batch_size, curves in zip(knee.BATCHES, sweep, strict=True):
        best = curves.steps_to(min(knee.TARGETS) * problem.initial_excess).argmin()
        run, rate = rng.integers(knee.NUM_SEEDS), rng.integers(best + 1)
        stream = knee.stream(seed, batch_size)
        excess = one_run(
            lean,
            problem,
            batch_size,
            curves.rates[rate],
            curves.steps,
            lambda n, b=batch_size, s=stream, r=run: s.integers(0, problem.num_examples, (n, knee.NUM_SEEDS, b))[:, r],
        )
        differences.append(np.abs(excess - curves.excess[1:, run, rate]).max())
    return max(differences)


# -- the roofline ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Work:
    """What a sweep cannot do without: operations of its matrix products, exponentials, bytes of batches and residuals.

    The logarithms are not among it, as log(a) + log(b) = log(a b), nor are the bytes of the losses, which can stay in the cache.
    """

    flop: float
    exps: float
    bytes: float

    @classmethod
    def of(cls, sweep: list[Curves]) -> "Work":
        """Return the work of these curves. A batch is read and written when gathered, then read by two products."""
        examples, dimension = knee.uneven_problem().features.shape
        gathered = in_steps = in_losses = 0  # examples: gathered, and seen by some run
        for batch_size, curves in zip(knee.BATCHES, sweep, strict=True):
            num_losses, seeds, rates = curves.excess.shape
            gathered += int(curves.steps[-1]) * batch_size * seeds
            in_steps += int(curves.steps[-1]) * batch_size * seeds * rates
            in_losses += num_losses * examples * seeds * rates
        return cls(
            flop=2 * dimension * (2 * in_steps + in_losses),
            exps=in_steps + in_losses,
            bytes=4 * (4 * dimension * gathered + 2 * in_steps),
        )


@dataclass(frozen=True)
class Rates:
    """What one thread does in a second, in float32: operations of a large matrix product, exponentials in the cache, bytes of memory."""

    flop: float
    exps: float
    copy: float
    triad: float

    @classmethod
    def measured(cls) -> "Rates":
        """Measure them."""
        square, product = np.ones((2, SQUARE, SQUARE), "f4")
        logits, result = np.ones((2, 2**14), "f4")
        a, b, c = np.ones((3, 2**24), "f4")  # 64 MiB each, more than the cache holds

        def triad() -> None:
            np.add(np.multiply(c, 3, out=a), b, out=a)  # NumPy needs two passes, so that a is moved three times

        return cls(
            flop=2 * SQUARE**3 / least_seconds(lambda: np.matmul(square, square, out=product)),
            exps=logits.size / least_seconds(lambda: np.exp(logits, out=result)),
            copy=2 * a.nbytes / least_seconds(lambda: np.copyto(a, b)),
            triad=5 * a.nbytes / least_seconds(triad),
        )


@dataclass(frozen=True)
class Roof:
    """The least seconds of one sweep by the machine's rates; products: seconds of its matrix products in the shapes that they have."""

    work: Work
    rates: Rates
    products: float

    @classmethod
    def of(cls, sweep: list[Curves]) -> "Roof":
        """Measure the machine and return the roof of these curves."""
        return cls(Work.of(sweep), Rates.measured(), seconds_of_products(sweep))

    @property
    def memory_rate(self) -> float:
        """Bytes a second, the higher of the two measured."""
        return max(self.rates.copy, self.rates.triad)

    @property
    def seconds(self) -> float:
        """Products and exponentials take turns in the core, while memory could work beside them."""
        core = self.work.flop / self.rates.flop + self.work.exps / self.rates.exps
        return max(core, self.work.bytes / self.memory_rate)

    def rows(self) -> list[tuple[str, str, str, float]]:
        """Return what each part is, its work, its rate and its seconds."""
        work, rates, giga = self.work, self.rates, 1e-9
        memory = f"memory: copy {giga * rates.copy:.0f}, triad {giga * rates.triad:.0f} GB/s"
        flop, shaped = f"{giga * work.flop:.0f} GFLOP", giga * work.flop / self.products
        return [
            (
                f"matrix products as quick as {SQUARE} × {SQUARE}",
                flop,
                f"{giga * rates.flop:.0f} GFLOP/s",
                work.flop / rates.flop,
            ),
            ("exponentials", f"{giga * work.exps:.2f}e9", f"{giga * rates.exps:.2f}e9 /s", work.exps / rates.exps),
            (
                memory,
                f"{giga * work.bytes:.1f} GB",
                f"{giga * self.memory_rate:.0f} GB/s",
                work.bytes / self.memory_rate,
            ),
            ("matrix products in their own shapes", flop, f"{shaped:.0f} GFLOP/s", self.products),
        ]


def seconds_of_products(sweep: list[Curves]) -> float:
    """Return the seconds that the matrix products of a sweep take alone: two for a step, one for a loss."""
    features, seconds = knee.uneven_problem().features.astype("f4"), 0.0
    examples, dimension = features.shape
    for batch_size, curves in zip(knee.BATCHES, sweep, strict=True):
        num_losses, seeds, rates = curves.excess.shape
        batch = np.ones((seeds, batch_size, dimension), "f4")
        weights, residuals = np.ones((seeds, dimension, rates), "f4"), np.ones((seeds, batch_size, rates), "f4")
        columns, logits = np.ones((dimension, seeds * rates), "f4"), np.ones((examples, seeds * rates), "f4")
        forward = least_seconds(partial(np.matmul, batch, weights, out=residuals))
        backward = least_seconds(partial(np.matmul, batch.mT, residuals, out=weights))
        loss = least_seconds(partial(np.matmul, features, columns, out=logits))
        seconds += int(curves.steps[-1]) * (forward + backward) + num_losses * loss
    return seconds


def print_roofline(roofs: list[Roof], seconds: list[float]) -> None:
    """Print the roof of the round in the middle, and the sweep."""
    roof = sorted(roofs, key=lambda roof: roof.seconds)[len(roofs) // 2]
    print("\n| one tuned sweep, float32 | work | rate | seconds |")
    print("|---|---|---|---|")
    for part, work, rate, spent in roof.rows():
        print(f"| {part} | {work} | {rate} | {spent:.2f} |")
    print(f"| roof: large products + exponentials, or memory | | | {roof.seconds:.2f} |")
    print(f"| the sweep | | | {median(seconds):.2f} |")


# -- all of it -------------------------------------------------------------------------------------------------------------------


def numba_notes() -> tuple[dict[str, str], dict[str, str]]:
    """Compile the kernel, and return what the rows of numba in the two tables have to say about it."""
    if not numba_kernel():
        missing = ": not installed (pip install numba)"
        return {NUMBA_EPOCHS: missing}, {NUMBA_RUNS: missing}
    problem, _, _ = published()
    one_call = partial(numba_fused, problem, 32, partial(warmed, 0.1, 0), [np.arange(64)])
    first, again = (timed(lambda: list(one_call()))[0] for _ in range(2))
    return {NUMBA_EPOCHS: f", after {first - again:.1f} s of compiling"}, {}


def print_result(reached: dict[str, list[float]], shares: list[float]) -> None:
    """Print which goals are met, the share of the roofline, and the line of results."""
    print("\n| goal | at least | measured | met |")
    print("|---|---|---|---|")
    for name, goal in GOALS.items():
        met = "yes" if median(reached[name]) >= goal else "NO"
        print(f"| {name} | {goal} | {spread(reached[name])} | {met} |")
    print(f"\nshare of the roofline: {spread(shares)}\n")
    result = " ".join(f"{name}={median(found):.3g}" for name, found in reached.items())
    print(f"RESULT {result} roofline={median(shares):.2g}")


def main() -> None:
    exact, optimum, sweep = defaultdict(list), defaultdict(list), defaultdict(list)
    exact_notes, sweep_notes = numba_notes()
    roofs, difference = [], 0.0
    for number in trange(ROUNDS, unit=" rounds", disable=None, leave=False):
        exact_round(exact)
        optimum_round(optimum)
        curves = sweep_round(number, sweep)
        roofs.append(Roof.of(curves))
        difference = max(difference, largest_difference(curves, number))
    assert difference < 1e-6, f"runs made one at a time differ by {difference} nats"
    runs = sum(knee.NUM_SEEDS * one.rates.size for one in curves)
    print_table("published table, 16 cells: all the same", exact, PLAIN, exact_notes)
    print_table("optimum: all the same to 1e-9", optimum, DESCENT, {})
    print_table(f"tuned sweep, {runs} runs: the same curves to {difference:.0e} nats", sweep, SINGLE, sweep_notes)
    print_roofline(roofs, sweep[MANY])
    reached = {
        "exact": ratios(exact, PLAIN, EXACT),
        "sweep": ratios(sweep, SINGLE, MANY),
        "optimum": ratios(optimum, DESCENT, NEWTON),
    }
    print_result(reached, [roof.seconds / spent for roof, spent in zip(roofs, sweep[MANY], strict=True)])


if __name__ == "__main__":
    main()
