"""The recorded sweep of a language model: its language, its statistics, its tables, and that an interruption loses nothing."""

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

import language_model as sweep
from language_model import Cell, Excess, Language, checkpoints, moments

from largebatch.data import language_sweep

CPU = "cpu"


@pytest.fixture(scope="module")
def language() -> Language:
    return Language()


# -- the language ----------------------------------------------------------------------------------------------------------------


def test_pairs_are_stationary(language):
    following = language.following
    assert np.allclose(following.sum(axis=-1), 1) and (following > 0).all()
    assert np.allclose(np.einsum("ab,abc->bc", language.pairs, following), language.pairs, atol=1e-15)
    assert np.allclose(language.pairs.sum(axis=0), language.pairs.sum(axis=1))


def test_entropy_is_the_loss_of_the_true_model_on_a_long_sample(language):
    tokens = language.sequences(20_000, 17, torch.Generator().manual_seed(1))
    chosen = language.probabilities(tokens).gather(2, tokens[:, 1:, None])[..., 0]
    losses = -chosen.log().double().numpy()
    later = losses[:, 1:].mean(axis=1)  # per sequence, as tokens of one sequence depend on each other
    error = later.std() / len(later) ** 0.5
    assert error < 0.003
    assert abs(later.mean() - language.entropy) < 4 * error
    of_second = -(language.pairs * np.log(language.second)).sum()
    assert abs(losses[:, 0].mean() - of_second) < 4 * losses[:, 0].std() / len(losses) ** 0.5


def test_entropy_of_a_language_that_can_be_worked_out_by_hand(language):
    coin = Language(size=2)
    coin.following[:] = 0.5
    coin.pairs[:] = 0.25
    assert coin.entropy == pytest.approx(np.log(2))
    assert 0 < language.entropy < np.log(32)


def test_sequences_follow_the_table():
    small = Language(size=3)
    tokens = small.sequences(60_000, 5, torch.Generator().manual_seed(2)).numpy()
    for start in range(3):  # at the beginning of a sequence and at its end
        counts = np.zeros((3, 3, 3))
        np.add.at(counts, tuple(tokens[:, start : start + 3].T), 1)
        expected = small.pairs[..., None] * small.following * len(tokens)
        assert ((counts - expected) ** 2 / expected).sum() < 70  # χ² with 26 degrees of freedom: p = 1e-5


# -- loss and statistics ---------------------------------------------------------------------------------------------------------


def test_excess_is_none_for_the_truth_and_known_for_a_uniform_model(language):
    excess = Excess(language, CPU)
    assert excess(lambda tokens: excess.truth.log()) == pytest.approx(0, abs=1e-6)
    entropies = -(excess.truth * excess.truth.log()).sum(dim=-1)
    uniform = excess(lambda tokens: torch.zeros(512, 16, 32))
    assert uniform == pytest.approx(np.log(32) - entropies.mean().item(), rel=1e-5)


def test_the_untrained_model_is_about_as_good_as_a_uniform_one(language):
    torch.manual_seed(0)
    assert Excess(language, CPU)(sweep.LanguageModel()) == pytest.approx(np.log(32) - language.entropy, abs=0.25)


def test_no_batch_of_a_run_comes_twice_and_all_rates_see_the_same(language):
    first, other = (list(itertools.islice(sweep.stream(language, Cell(0, 1024, rate)), 4)) for rate in (0.1, 0.2))
    assert all(torch.equal(a, b) for a, b in zip(first, other, strict=True))
    assert all(batch.shape == (1024, 17) for batch in first)
    assert len(torch.unique(torch.cat(first), dim=0)) > 4090
    another_seed = next(sweep.stream(language, Cell(1, 1024, 0.1)))
    assert not torch.equal(first[0], another_seed)


@pytest.fixture
def table() -> nn.Module:
    """Return a model that a gradient can be checked of: the logits of the next token stand in a table."""
    torch.manual_seed(3)
    return nn.Embedding(5, 5)


def gradients(model: nn.Module, sequences: torch.Tensor) -> torch.Tensor:
    """Return each sequence's gradient by plain autograd, shape (count, 25)."""
    rows = []
    for sequence in sequences:
        model.zero_grad()
        sweep.loss(model(sequence[None, :-1]), sequence[None]).backward()
        rows.append(model.weight.grad.flatten().double())
    return torch.stack(rows)


@pytest.mark.parametrize("piece", [1, 2])
def test_moments_are_unbiased_over_all_probes_that_can_be_drawn(table, monkeypatch, piece):
    monkeypatch.setattr(sweep, "PIECE", piece)
    population = torch.randint(5, (3, 7))
    exact = gradients(table, population)
    probes = [population[list(chosen)] for chosen in itertools.product(range(3), repeat=4)]  # 81, equally likely
    variances, squares = zip(*(moments(table, probe) for probe in probes), strict=True)
    mean_of = [torch.stack([estimate[0] for estimate in estimates]).mean(dim=0) for estimates in (variances, squares)]
    assert torch.allclose(mean_of[0].flatten(), exact.var(dim=0, correction=0), atol=1e-7)
    assert torch.allclose(mean_of[1].flatten(), exact.mean(dim=0) ** 2, atol=1e-7)


def test_noise_weighs_each_coordinate_by_adams_own_mean_of_squares(table, monkeypatch):
    monkeypatch.setattr(sweep, "PIECE", 1)
    optimizer = torch.optim.Adam(table.parameters(), lr=0.1)
    past = []
    for _ in range(3):
        batch = torch.randint(5, (6, 7))
        past.append(gradients(table, batch).mean(dim=0))
        optimizer.zero_grad()
        sweep.loss(table(batch[:, :-1]), batch).backward()
        optimizer.step()
    weights = 0.001 * 0.999 ** torch.arange(2, -1, -1).double()
    second_moment = (weights[:, None] * torch.stack(past) ** 2).sum(dim=0) / weights.sum()
    sequences = torch.randint(5, (40, 7))
    rows = gradients(table, sequences)
    variances, squares = rows.var(dim=0), rows.mean(dim=0) ** 2 - rows.var(dim=0) / 40
    adam_scale = 1 / (second_moment.sqrt() + 1e-8)
    expected = [
        float((scale * value).sum())
        for scale in (torch.ones(25), adam_scale, adam_scale**2)
        for value in (variances, squares)
    ]
    assert sweep.noise(table, optimizer, sequences) == pytest.approx(expected, rel=1e-4)


# -- runs and tables -------------------------------------------------------------------------------------------------------------


def test_checkpoints_grow_by_the_ratio():
    steps = np.array(list(itertools.islice(checkpoints(1.15), 60)))
    assert steps[:5].tolist() == [0, 1, 2, 3, 4]
    assert (np.diff(steps) >= 1).all()
    assert np.allclose(steps[31:] / steps[30:-1], 1.15, atol=0.02)


@pytest.fixture
def short_runs(language, monkeypatch):
    """Return three cells and a way to run one, in a twentieth of a second."""
    monkeypatch.setattr(Cell, "most_steps", 6)
    monkeypatch.setattr(sweep, "PROBE", 128)
    excess = Excess(language, CPU)
    cells = [Cell(seed, 8, rate) for seed, rate in ((0, 0.01), (0, 0.001), (1, 0.01))]
    return cells, lambda cell: sweep.curve(language, cell, excess, CPU)


def test_an_interruption_loses_nothing(short_runs, tmp_path):
    cells, run = short_runs
    whole, resumed = tmp_path / "whole.csv", tmp_path / "resumed.csv"
    sweep.fill(whole, sweep.SWEEP_COLUMNS, cells, run)
    started = []

    def interrupted(cell):
        started.append(cell)
        for number, row in enumerate(run(cell)):
            if len(started) == 2 and number == 3:
                raise KeyboardInterrupt
            yield row

    with pytest.raises(KeyboardInterrupt):
        sweep.fill(resumed, sweep.SWEEP_COLUMNS, cells, interrupted)
    assert list(sweep.recorded(resumed)) == cells[:1]  # of the second, nothing
    sweep.fill(resumed, sweep.SWEEP_COLUMNS, cells[::-1], interrupted)
    assert started == [cells[0], cells[1], cells[2], cells[1]]
    assert resumed.read_bytes() == whole.read_bytes()


def test_a_run_ends_at_the_hardest_target_and_where_it_is_given_up(language, short_runs, monkeypatch):
    cells, run = short_runs
    steps = [step for step, _ in run(cells[0])]
    assert steps == [0, 1, 2, 3, 4, 5, 6]
    monkeypatch.setattr(sweep, "LAST_EXCESS", 0.9)
    steps, excesses = zip(*run(cells[0]), strict=True)
    assert excesses[-1] <= 0.9 < excesses[-2]


def test_noise_is_measured_along_the_very_run_of_the_sweep(language, short_runs):
    cells, run = short_runs
    plain = dict(run(cells[0]))
    rows = list(sweep.noise_curve(language, cells[0], Excess(language, CPU), CPU, last_step=6))
    assert [row[0] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [row[1] for row in rows] == [plain[row[0]] for row in rows]
    assert all(len(row) == 8 and min(row[2::2]) > 0 for row in rows)


# -- what is recorded ------------------------------------------------------------------------------------------------------------


def test_a_prediction_is_that_of_lesson_06():
    rows = np.array([[step, 1.0, 64.0, 2.0, 64.0, 1.0, 32.0, 2.0] for step in (1, 2, 4, 9)])
    found = sweep.predicted([rows, rows], batch_size=32, num_steps=10.0)
    assert found == pytest.approx(np.array([[5, 160], [10 / 3, 640 / 3], [20 / 3, 320 / 3]]))


def test_all_runs_are_recorded():
    cells = {Cell(seed, size, rate) for seed in range(3) for size in sweep.BATCHES for rate in sweep.rate_grid(size)}
    runs = sweep.recorded(sweep.SWEEP)
    assert set(runs) == cells
    for cell, run in runs.items():
        steps, excess = run.T
        assert steps.tolist() == list(itertools.islice(checkpoints(sweep.GRID_RATIO), len(steps)))
        assert (excess[:-1] > sweep.LAST_EXCESS).all()
        assert excess[-1] <= sweep.LAST_EXCESS or steps[-1] * sweep.GRID_RATIO > cell.most_steps - 2


def test_the_recorded_noise_belongs_to_the_recorded_runs():
    runs, noise_runs = sweep.recorded(sweep.SWEEP), sweep.recorded(sweep.NOISE)
    assert sorted((cell.batch_size, cell.seed) for cell in noise_runs) == sorted(
        itertools.product(sweep.BATCHES, range(3))
    )
    for cell, rows in noise_runs.items():
        excess = dict(runs[cell])
        shared = [row for row in rows if row[0] in excess]
        assert len(shared) > 6
        assert [row[1] for row in shared] == [excess[row[0]] for row in shared]
        assert (rows[:, 2::2] > 0).all()


def test_benchmarks_readme_holds_what_the_script_prints(capsys):
    sweep.print_findings(language_sweep(), sweep.recorded(sweep.NOISE))
    readme = (Path(sweep.__file__).parent / "README.md").read_text(encoding="utf-8")
    printed = [line.removeprefix("RESULT ") for line in capsys.readouterr().out.splitlines() if line]
    assert len(printed) == 2 + 5 + 2 + 10 + 1 and [line for line in printed if line not in readme] == []


@pytest.mark.parametrize("batch_size", [4, 256])
def test_the_script_still_makes_the_recorded_numbers(language, monkeypatch, batch_size):
    cell = Cell(1, batch_size, sweep.rate_grid(batch_size)[2])
    monkeypatch.setattr(Cell, "most_steps", 12)
    now = np.array(list(sweep.curve(language, cell, Excess(language, CPU), CPU)))
    recorded = sweep.recorded(sweep.SWEEP)[cell][: len(now)]
    assert np.array_equal(now[:, 0], recorded[:, 0])
    assert np.allclose(now[:, 1], recorded[:, 1], rtol=0.02)
