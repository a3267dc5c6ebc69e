"""LARS and LAMB: what a trust ratio must do, PyTorch's own optimizers where it is switched off, and a maintained implementation step by step."""

import copy
import math

import pytest
import torch
from pytorch_optimizer import LARS as TheirLARS
from pytorch_optimizer import Lamb as TheirLAMB

from largebatch.optimizers import LAMB, LARS, lamb_step, lars_step

BOTH = pytest.mark.parametrize("make", [LARS, LAMB])


@pytest.fixture(autouse=True)
def double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def tensors(seed=0, shapes=((4, 3), (3, 2, 2), (5, 1))) -> list[torch.nn.Parameter]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.nn.Parameter(torch.randn(shape, generator=generator)) for shape in shapes]


def run(optimizer, parameters, num_steps=12, seed=1, scales=(1.0, 30.0, 0.01), first=0):
    """Take steps with gradients that depend on the step and on the weights, of different sizes; return the weights after each."""
    path = []
    for step in range(first, first + num_steps):
        generator = torch.Generator().manual_seed(1000 * seed + step)
        for scale, weights in zip(scales, parameters, strict=True):
            noise = torch.randn(weights.shape, generator=generator)
            weights.grad = scale * (noise + 0.3 * weights.detach())
        optimizer.step()
        path.append([weights.detach().clone() for weights in parameters])
    return path


def same(one, other, tolerance=1e-12) -> bool:
    return all(
        torch.allclose(a, b, rtol=tolerance, atol=tolerance)
        for left, right in zip(one, other, strict=True)
        for a, b in zip(left, right, strict=True)
    )


def relative_steps(make, parameters, **settings) -> list[float]:
    before = [weights.detach().clone() for weights in parameters]
    after = run(make(parameters, **settings), parameters, num_steps=1)[0]
    return [((new - old).norm() / old.norm()).item() for new, old in zip(after, before, strict=True)]


# -- what the trust ratio must do ------------------------------------------------------------------------------------------------


def test_every_layer_moves_by_the_same_share_of_its_norm():
    assert relative_steps(LARS, tensors(), lr=2.0, trust_coefficient=0.01) == pytest.approx([0.02] * 3)
    assert relative_steps(LAMB, tensors(), lr=0.02) == pytest.approx([0.02] * 3)
    assert relative_steps(LAMB, tensors(), lr=0.02, weight_decay=0.3) == pytest.approx([0.02] * 3)


@pytest.mark.parametrize(("make", "settings"), [(LARS, {}), (LAMB, {"eps": 0.0})])
def test_rescaled_gradients_change_nothing(make, settings):
    few, many = tensors(), tensors()
    path = run(make(few, lr=0.1, **settings), few)
    assert same(path, run(make(many, lr=0.1, **settings), many, scales=(7.0, 0.3, 55.0)), 1e-9)


def test_gradients_count_against_the_decay_in_lars():
    few, many = tensors(), tensors()
    path = run(LARS(few, lr=0.1, weight_decay=0.5), few)
    assert not same(path, run(LARS(many, lr=0.1, weight_decay=0.5), many, scales=(7.0, 0.3, 55.0)), 1e-9)


@BOTH
def test_a_tensor_of_zeros_still_moves(make):
    weights = torch.nn.Parameter(torch.zeros(3))
    weights.grad = torch.tensor([1.0, -2.0, 0.5])
    make([weights], lr=0.1).step()
    assert (weights * weights.grad < 0).all()
    assert weights.detach().tolist() == pytest.approx(
        [-0.1, 0.2, -0.05] if make is LARS else [-0.1, 0.1, -0.1], rel=1e-5
    )


@BOTH
def test_a_zero_gradient_moves_nothing_and_gives_no_nan(make):
    weights = torch.nn.Parameter(torch.tensor([1.0, -2.0, 0.5]))
    weights.grad = torch.zeros(3)
    make([weights], lr=0.1).step()
    assert weights.detach().tolist() == [1.0, -2.0, 0.5]


@BOTH
def test_a_tensor_without_gradient_is_left_alone(make):
    moved, left = tensors(shapes=((2, 2), (3, 1)))
    before = left.detach().clone()
    moved.grad = torch.ones(2, 2)
    make([moved, left], lr=0.1).step()
    assert torch.equal(left, before)


def test_excluded_tensors_get_sgd_and_adamw():
    for make, torchs, settings, theirs in (
        (LARS, torch.optim.SGD, {"momentum": 0.9, "weight_decay": 0.1}, {}),
        (LAMB, torch.optim.Adam, {"betas": (0.8, 0.95), "eps": 1e-7}, {}),
        (LAMB, torch.optim.AdamW, {"betas": (0.8, 0.95), "eps": 1e-7, "weight_decay": 0.1}, {}),
    ):
        ours, other = tensors(), tensors()
        path = run(make(ours, lr=0.05, adapt=False, **settings), ours)
        assert same(path, run(torchs(other, lr=0.05, **settings, **theirs), other)), torchs


@BOTH
def test_a_group_may_have_its_own_settings(make):
    alone, together = tensors(), tensors()
    path = run(make(alone, lr=0.1, adapt=False), alone)
    groups = [{"params": together[:2]}, {"params": together[2:], "adapt": False}]
    mixed = run(make(groups, lr=0.1), together)
    assert same([step[2:] for step in path], [step[2:] for step in mixed])
    assert not same([step[:2] for step in path], [step[:2] for step in mixed])


# -- as an optimizer -------------------------------------------------------------------------------------------------------------


@BOTH
def test_a_saved_state_goes_on_as_if_nothing_had_happened(make):
    through = tensors()
    whole = run(make(through, lr=0.1, weight_decay=0.01), through, 8)
    first = tensors()
    before = make(first, lr=0.1, weight_decay=0.01)
    run(before, first, 4)
    saved, second = (
        copy.deepcopy(before.state_dict()),
        [torch.nn.Parameter(weights.detach().clone()) for weights in first],
    )
    after = make(second, lr=77.0)
    for _ in range(2):  # a second time, too
        after.load_state_dict(saved)
    assert same(whole[4:], run(after, second, 4, first=4))


@BOTH
def test_a_closure_is_called_with_gradients_and_its_loss_returned(make):
    weights = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    optimizer = make([weights], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (weights**2).sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 5.0
    assert (weights**2).sum() < 5.0
    assert make([weights], lr=0.1).step() is None


@BOTH
def test_a_scheduler_changes_the_rate(make):
    weights = torch.nn.Parameter(torch.ones(2))
    optimizer = make([weights], lr=0.1)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.0 if step else 1.0)
    for expect_move in (True, False):
        before = weights.detach().clone()
        weights.grad = torch.tensor([1.0, -1.0])
        optimizer.step()
        scheduler.step()
        assert torch.equal(before, weights) != expect_move


@pytest.mark.parametrize("make", [lars_step, lamb_step])
def test_a_step_changes_none_of_its_arguments(make):
    arguments = [torch.full((2,), value) for value in (1.0, 2.0, 0.5, 0.25)][: 3 if make is lars_step else 4]
    copies = [tensor.clone() for tensor in arguments]
    make(*arguments, **({"step": 3} if make is lamb_step else {}), lr=0.1, weight_decay=0.1)
    assert all(torch.equal(one, other) for one, other in zip(arguments, copies, strict=True))


@pytest.mark.parametrize(
    ("make", "settings"),
    [
        (LARS, {"lr": -1.0}),
        (LARS, {"lr": math.nan}),
        (LARS, {"momentum": 1.0}),
        (LARS, {"momentum": -0.1}),
        (LARS, {"weight_decay": -0.1}),
        (LARS, {"trust_coefficient": -0.1}),
        (LAMB, {"lr": math.inf}),
        (LAMB, {"betas": (0.9, 1.0)}),
        (LAMB, {"betas": (0.9,)}),
        (LAMB, {"eps": -1e-8}),
        (LAMB, {"weight_decay": -0.1}),
    ],
)
def test_settings_that_make_no_sense_are_refused(make, settings):
    name = next(iter(settings))
    with pytest.raises(ValueError, match=name):
        make(tensors(), **{"lr": 0.1} | settings)
    with pytest.raises(ValueError, match=name):
        make([{"params": tensors(), **settings}], lr=0.1)


# -- tensors and groups of other kinds ----------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("dtype", "weight", "gradient", "number"),
    [
        (torch.float16, 100.0, 1e-7, 4096),  # for LARS: a ratio of a million
        (torch.float16, 300.0, 1.0, 70_000),  # a norm of 79 000
        (torch.float16, 1.0, 300.0, 64),  # a square of 90 000
        (torch.bfloat16, 100.0, 1e-7, 4096),
    ],
)
def test_16_bit_tensors_take_the_step_of_float32(make, dtype, weight, gradient, number):
    ends = []
    for kind in (dtype, torch.float32):
        weights = torch.nn.Parameter(torch.full((number,), weight, dtype=kind))
        weights.grad = torch.full((number,), gradient, dtype=dtype).to(kind)
        optimizer = make([weights], lr=0.1, **({"trust_coefficient": 1.0} if make is LARS else {"eps": 1e-12}))
        optimizer.step()
        assert weights.dtype == kind and all(
            each.dtype == kind for each in map(torch.as_tensor, optimizer.state[weights].values()) if each.ndim
        )
        ends.append(weights.detach().float())
    assert torch.allclose(*ends, rtol=0.01) and (ends[0] < 0.95 * weight).all()


def test_lamb_refuses_complex_tensors_and_lars_turns_with_them():
    for make in (LARS, LAMB):
        weights = torch.nn.Parameter(torch.tensor([1 + 1j, 2 + 0j]))
        weights.grad = torch.tensor([1j, 1 + 0j])
        if make is LAMB:
            with pytest.raises(ValueError, match="view_as_real"):
                make([weights], lr=0.1).step()
        else:
            pairs = torch.nn.Parameter(torch.view_as_real(weights.detach()).clone())
            pairs.grad = torch.view_as_real(weights.grad).clone()
            for each in (weights, pairs):
                make([each], lr=0.1).step()
            assert torch.allclose(torch.view_as_real(weights.detach()), pairs.detach())


@BOTH
def test_sparse_gradients_are_refused(make):
    embedding = torch.nn.Embedding(5, 3, sparse=True)
    embedding(torch.tensor([1, 2])).sum().backward()
    with pytest.raises(ValueError, match=f"{make.__name__} needs dense gradients"):
        make(embedding.parameters(), lr=0.1).step()


@BOTH
def test_a_group_must_be_a_dict(make):
    with pytest.raises(TypeError, match="must be a dict"):
        make(tensors(), lr=0.1).add_param_group(tensors(seed=1))


@pytest.mark.parametrize(
    ("make", "other", "name"),
    [(LARS, torch.optim.SGD, "trust_coefficient"), (LAMB, torch.optim.Adam, "adapt"), (LAMB, LARS, "betas")],
)
def test_the_state_of_another_optimizer_is_refused(make, other, name):
    weights = tensors()
    saved = other(weights, lr=0.1).state_dict()
    with pytest.raises(ValueError, match=f"{make.__name__}.*{name}"):
        make(weights, lr=0.1).load_state_dict(saved)


# -- against pytorch_optimizer ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{"momentum": 0.0}, {"momentum": 0.9}, {"momentum": 0.9, "weight_decay": 0.05}])
@pytest.mark.parametrize("foreach", [True, False])
def test_lars_agrees_for_matrices_step_by_step(settings, foreach):
    ours, theirs = tensors(), tensors()
    path = run(LARS(ours, lr=0.3, trust_coefficient=0.02, **settings), ours)
    other = TheirLARS(theirs, lr=0.3, trust_coefficient=0.02, foreach=foreach, **settings)
    assert same(path, run(other, theirs))


def test_lars_differs_for_vectors_which_theirs_exempts_by_shape():
    ours, theirs = tensors(shapes=((4,), (5,))), tensors(shapes=((4,), (5,)))
    path = run(LARS(ours, lr=0.3, weight_decay=0.1), ours, scales=(1.0, 2.0))
    other = run(TheirLARS(theirs, lr=0.3, weight_decay=0.1), theirs, scales=(1.0, 2.0))
    assert not same(path, other, 1e-3)
    exempt = tensors(shapes=((4,), (5,)))
    assert same(run(LARS(exempt, lr=0.3, adapt=False), exempt, scales=(1.0, 2.0)), other)


def their_lamb(parameters, **settings):
    """Return their optimizer in the settings in which it follows the paper: no factor 1 / (1 - beta1^step) behind the ratio."""
    return TheirLAMB(parameters, adam_debias=True, **settings)


@pytest.mark.parametrize("foreach", [True, False])
def test_lamb_agrees_without_decay_where_bias_correction_cancels(foreach):
    ours, theirs = tensors(), tensors()
    path = run(LAMB(ours, lr=0.02, eps=0.0), ours)
    assert same(path, run(their_lamb(theirs, lr=0.02, eps=0.0, foreach=foreach), theirs))


def test_lamb_agrees_with_decay_where_there_is_no_bias():
    ours, theirs, settings = tensors(), tensors(), {"lr": 0.02, "eps": 0.0, "betas": (0.0, 0.0), "weight_decay": 0.3}
    path = run(LAMB(ours, **settings), ours)
    assert same(path, run(their_lamb(theirs, weight_decouple=False, **settings), theirs))


def test_lamb_differs_in_the_first_step_which_theirs_makes_ten_times_as_long():
    assert relative_steps(LAMB, tensors(), lr=0.01, eps=0.0) == pytest.approx([0.01] * 3)
    assert relative_steps(TheirLAMB, tensors(), lr=0.01, eps=0.0) == pytest.approx([0.1] * 3)


def test_lamb_differs_for_large_norms_which_theirs_cuts_at_ten():
    def large():
        return [torch.nn.Parameter(20 * weights.detach()) for weights in tensors()]

    assert relative_steps(LAMB, large(), lr=0.01, eps=0.0) == pytest.approx([0.01] * 3)
    norms = [weights.norm().item() for weights in large()]
    assert min(norms) > 10
    assert relative_steps(their_lamb, large(), lr=0.01, eps=0.0) == pytest.approx([0.1 / norm for norm in norms])


def test_lamb_differs_in_the_decay_which_theirs_takes_out_of_the_ratio_by_default():
    ours, theirs = tensors(), tensors()
    path = run(LAMB(ours, lr=0.02, eps=0.0, weight_decay=0.3), ours)
    assert not same(path, run(their_lamb(theirs, lr=0.02, eps=0.0, weight_decay=0.3), theirs), 1e-3)
