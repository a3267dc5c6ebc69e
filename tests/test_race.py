"""The race: gradients against autograd, every optimizer against its PyTorch class, and what a change of scale may not change."""

import numpy as np
import pytest
import torch

from largebatch.optimizers import LAMB, LARS
from largebatch.race import MOMENTA, RATES, Student, race, update


@pytest.mark.parametrize("shrink", [1.0, 0.25])
def test_gradients_equal_autograds(shrink):
    problem, rng = Student(shrink=shrink), np.random.default_rng(0)
    weights = problem.start(rng, 3)
    x, labels = problem.examples(rng, 3, 20)
    tensors = [torch.tensor(layer, requires_grad=True) for layer in weights]
    predictions = torch.tanh(torch.tensor(x) @ (shrink * tensors[0])) @ tensors[1]
    ((predictions - torch.tensor(labels)) ** 2).mean(dim=(-1, -2)).div(2).sum().backward()
    for tensor, gradient in zip(tensors, problem.gradients(weights, x, labels), strict=True):
        assert np.allclose(tensor.grad.numpy(), gradient, atol=1e-6)


def test_the_teacher_has_no_excess_and_the_start_of_the_student_does_not_depend_on_its_scale():
    problem, shrunk = Student(), Student(shrink=0.25)
    assert problem.excess([layer[None, None] for layer in problem.teacher_weights]) == pytest.approx(0.0, abs=1e-10)
    starts = [each.excess(each.start(np.random.default_rng(5), 4)) for each in (problem, shrunk)]
    assert np.allclose(*starts, rtol=1e-5) and (starts[0] > 0.1).all()


@pytest.mark.parametrize("momentum", MOMENTA)
@pytest.mark.parametrize(
    ("optimizer", "make"),
    [
        ("SGD", lambda weights, rate, m: torch.optim.SGD(weights, rate, momentum=m)),
        ("LARS", lambda weights, rate, m: LARS(weights, rate, momentum=m, trust_coefficient=1.0)),
        ("Adam", lambda weights, rate, m: torch.optim.Adam(weights, rate, betas=(m, 0.999))),
        ("LAMB", lambda weights, rate, m: LAMB(weights, rate, betas=(m, 0.999), eps=1e-8)),
    ],
)
def test_each_optimizer_equals_its_class(optimizer, make, momentum):
    problem, rng = Student(), np.random.default_rng(3)
    weights, rate = problem.start(rng, 1), 0.02
    tensors = [torch.tensor(layer[0, 0], requires_grad=True) for layer in weights]
    theirs, states = make(tensors, rate, momentum), [[np.zeros_like(layer), np.zeros_like(layer)] for layer in weights]
    for step in range(1, 9):
        gradients = problem.gradients(weights, *problem.examples(rng, 1, 10))
        for layer, gradient in enumerate(gradients):
            tensors[layer].grad = torch.tensor(gradient[0, 0])
            change = update(optimizer, weights[layer], gradient, states[layer], step, momentum)
            weights[layer] = weights[layer] - rate * change
        theirs.step()
        for tensor, layer in zip(tensors, weights, strict=True):
            assert np.allclose(tensor.detach().numpy(), layer[0, 0], rtol=1e-4, atol=1e-6), (step, layer)


@pytest.mark.parametrize(("optimizer", "invariant"), [("LARS", True), ("LAMB", True), ("SGD", False), ("Adam", False)])
def test_only_trust_ratios_do_not_notice_the_scale(optimizer, invariant):
    ends = []
    for problem in (Student(), Student(shrink=0.25)):
        curves = race(problem, optimizer, 64, 0.3, num_seeds=2)
        ends.append(curves.steps_to(0.3 * curves.excess[0].mean()).min())
    assert (abs(ends[0] / ends[1] - 1) < 0.01) == invariant


def test_a_race_has_every_setting_and_ends_after_the_first_has_arrived():
    curves = race(Student(), "SGD", 64, 0.3, num_seeds=2)
    assert len(curves.rates) == len(MOMENTA) * len(RATES["SGD"])
    assert curves.excess.shape == (len(curves.steps), 2, len(curves.rates))
    assert curves.rates.reshape(len(MOMENTA), -1).tolist() == [RATES["SGD"].tolist()] * len(MOMENTA)
    first = curves.steps_to(0.3 * curves.excess[0].mean()).min()
    assert 1.2 * first < curves.steps[-1] < 1.3 * first + 10
    assert (curves.excess[0] == curves.excess[0][:, :1]).all()
    shrunk = (
        race(Student(shrink=0.25), "SGD", 64, 0.5, num_seeds=2),
        race(Student(shrink=0.25), "LARS", 64, 0.5, num_seeds=2),
    )
    assert [each.rates[0] for each in shrunk] == [4 * RATES["SGD"][0], RATES["LARS"][0]]
    again = race(Student(), "SGD", 64, 0.3, num_seeds=2)
    assert (again.excess == curves.excess).all()


def test_a_finer_grid_holds_the_settings_of_the_coarse_one():
    coarse, fine = (race(Student(), "LARS", 64, 0.5, num_seeds=2, momenta=(0.5, 0.8), finer=each) for each in (1, 2))
    assert np.allclose(fine.rates, (RATES["LARS"][:, None] * [1, 2**0.5]).ravel().tolist() * 2)
    number = min(len(coarse.steps), len(fine.steps))
    assert np.allclose(coarse.excess[:number], fine.excess[:number, :, ::2])
    assert not np.allclose(fine.excess[-1, :, :16], fine.excess[-1, :, 16:])  # the second half has the other momentum


@pytest.mark.parametrize(
    ("optimizer", "shrink"), [*((name, 1.0) for name in RATES), ("SGD", 0.25), ("Adam", 0.25), ("SGD", 4.0)]
)
@pytest.mark.parametrize("batch_size", [16, 64, 256, 1024])
def test_no_winning_rate_of_the_lesson_lies_at_an_end_of_its_range(optimizer, shrink, batch_size):
    curves = race(Student(shrink=shrink), optimizer, batch_size, 0.05)
    steps = curves.steps_to(0.05 * curves.excess[0].mean())
    assert steps.argmin() % len(RATES[optimizer]) not in (0, len(RATES[optimizer]) - 1)
    assert steps.min() > 25
