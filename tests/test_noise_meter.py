"""The noise meter against gradients taken one by one, in all the loops that people write, and on two ranks."""

import copy
import gc
import io
import os
import subprocess
import sys
import weakref
from contextlib import nullcontext
from datetime import timedelta

import numpy as np
import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint

from largebatch.noise_meter import LARGE, NoiseMeter, norm
from largebatch.noise_scale import exact, two_batch

MICRO_BATCH, WIDTH = 8, 6
RANKS, TIME_LIMIT = 2, 120


class Model(nn.Module):
    """Two layers that share a weight, an optional one that not every pass uses, a frozen one, and a segment to checkpoint."""

    def __init__(self):
        super().__init__()
        self.first, self.optional, self.last = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 1)
        self.segment = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh())
        self.frozen = nn.Linear(WIDTH, WIDTH).requires_grad_(False)

    def forward(self, x, optional=True, reentrant=None):
        x = torch.tanh(self.first(self.frozen(x)))
        x = self.segment(x) if reentrant is None else checkpoint(self.segment, x, use_reentrant=reentrant)
        x = torch.tanh(x @ self.first.weight)
        return self.last(self.optional(x) if optional else x).square().mean()


def batches(number, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(number, MICRO_BATCH, WIDTH, generator=generator)


def seeded_model():
    torch.manual_seed(0)
    return Model()


def gradient(model, *inputs):
    """Return the gradient of one micro-batch as one long vector, not by way of .grad."""
    trainable = [parameter for parameter in model.parameters() if parameter.requires_grad]
    parts = torch.autograd.grad(model(*inputs), trainable, allow_unused=True, materialize_grads=True)
    return torch.cat([part.flatten() for part in parts]).double()


def by_hand(gradients):
    """Return the estimates of tr Σ and |G|² from the gradients of all pieces."""
    small = np.mean([float(one @ one) for one in gradients])
    mean = sum(gradients) / len(gradients)
    return two_batch(small, float(mean @ mean), MICRO_BATCH, MICRO_BATCH * len(gradients))


def parts(meter):
    return meter.noise_scale.trace, meter.noise_scale.squared_norm


def window(model, micro_batches, factor=None, **options):
    for x in micro_batches:
        (model(x, **options) * (1 / len(micro_batches) if factor is None else factor)).backward()


def measured(model, micro_batches, **options):
    meter = NoiseMeter(model, MICRO_BATCH)
    window(model, micro_batches, **options)
    meter.step()
    return parts(meter)


# -- one rank --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_passes", [2, 5])
@pytest.mark.parametrize("reentrant", [None, False, True])
def test_accumulation_gives_what_single_gradients_give(num_passes, reentrant):
    model, data = seeded_model(), batches(num_passes)
    expected = by_hand([gradient(model, x) for x in data])
    data.requires_grad_()  # the reentrant kind of checkpoint wants it
    assert np.allclose(measured(model, data, reentrant=reentrant), expected, rtol=1e-4)


def test_a_parameter_that_some_passes_do_not_use_counts_zero_there():
    model, data = seeded_model(), batches(4)
    used = [True, False, False, True]
    expected = by_hand([gradient(model, x, one) for x, one in zip(data, used, strict=True)])
    meter = NoiseMeter(model, MICRO_BATCH)
    for order in ([0, 1, 2, 3], [1, 3, 2, 0], [2, 1, 0, 3]):
        for number in order:
            (model(data[number], used[number]) / 4).backward()
        meter.step()
        model.zero_grad()
    assert np.allclose(parts(meter), expected, rtol=1e-4)


@pytest.mark.parametrize("factor", [1.0, 0.25 * 2**16, 1e-3])
def test_a_factor_on_all_losses_does_not_change_the_noise_scale(factor):
    model, data = seeded_model(), batches(4)
    divided, scaled = measured(seeded_model(), data), measured(model, data, factor=factor)
    assert np.allclose(scaled, np.multiply(divided, (4 * factor) ** 2), rtol=1e-4)


def test_recovers_a_noise_scale_of_several_thousand_in_a_training_loop():
    rng = np.random.default_rng(0)
    features = rng.standard_normal((20_000, 400)).astype("f4")
    labels = features @ np.full(400, 0.05, "f4") + 4 * rng.standard_normal(20_000).astype("f4")
    model = nn.Linear(400, 1, bias=False)
    nn.init.zeros_(model.weight)
    trace, squared_norm = exact(features, -labels)
    assert 4000 < trace / squared_norm < 9000

    meter = NoiseMeter(model, micro_batch=256, memory=None)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    for _ in range(80):
        for chosen in torch.from_numpy(rng.integers(0, len(labels), (8, 256))):
            residuals = model(torch.from_numpy(features)[chosen])[:, 0] - torch.from_numpy(labels)[chosen]
            (residuals.square().mean() / 2 / 8).backward()
        meter.step()
        optimizer.step()
        optimizer.zero_grad()
    assert abs(meter.noise_scale.value / (trace / squared_norm) - 1) < 0.1
    assert np.allclose(parts(meter), (trace, squared_norm), rtol=0.1)
    assert str(meter) == str(meter.noise_scale) and "80 steps" in str(meter)


def train(model, meter_of):
    meter = meter_of(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for step in range(5):
        window(model, batches(3, seed=step), optional=bool(step % 2))
        if meter:
            meter.step()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
        optimizer.zero_grad()
    return torch.cat([parameter.flatten() for parameter in model.parameters()])


def test_training_is_the_same_to_the_last_bit():
    without = train(seeded_model(), lambda _: None)
    assert not torch.equal(without, torch.cat([one.flatten() for one in seeded_model().parameters()]))
    assert torch.equal(train(seeded_model(), lambda model: NoiseMeter(model, MICRO_BATCH)), without)


def test_no_gradient_is_copied_or_kept():
    model, places = nn.Linear(300, 300), {}
    meter = NoiseMeter(model, 1)
    for parameter in model.parameters():
        parameter.register_hook(lambda piece, parameter=parameter: places.update({parameter: piece.data_ptr()}))
    model(torch.randn(2, 300)).sum().backward()
    # The first pass makes the gradient's memory that of .grad, unless somebody holds on to it.
    assert [parameter.grad.data_ptr() for parameter in places] == list(places.values())
    model(torch.randn(2, 300)).sum().backward()
    kept = [one for norms in meter._norms.values() for one in norms]
    assert len(kept) == 4 and all(one.untyped_storage().nbytes() == 4 for one in kept)


def test_zeroed_in_place_is_as_good():
    model, data = seeded_model(), batches(3)
    expected = by_hand([gradient(model, x) for x in data])
    meter = NoiseMeter(model, MICRO_BATCH, memory=None)
    for _ in range(2):
        window(model, data)
        meter.step()
        model.zero_grad(set_to_none=False)
    assert meter.noise_scale.num_steps == 2 and np.allclose(parts(meter), expected, rtol=1e-4)


def test_a_window_without_step_is_left_out():
    model, data = seeded_model(), batches(4)
    expected = by_hand([gradient(model, x, False) for x in data])
    meter = NoiseMeter(model, MICRO_BATCH)
    window(model, batches(3, seed=5))  # uses a parameter that the next window does not use
    model.zero_grad()
    window(model, data, optional=False)
    meter.step()
    assert np.allclose(parts(meter), expected, rtol=1e-4)


@pytest.mark.parametrize("bad", [float("inf"), float("nan")])
def test_an_overflow_is_counted_and_left_out(bad):
    model, data = seeded_model(), batches(3)
    meter = NoiseMeter(model, MICRO_BATCH, memory=None)
    for step in range(3):
        for number, x in enumerate(data):
            (model(x) / 3 * (bad if (step, number) == (1, 2) else 1)).backward()
        meter.step()
        model.zero_grad()
    assert (meter.noise_scale.num_steps, meter.noise_scale.num_skipped) == (2, 1)
    assert np.isfinite(parts(meter)).all()


def test_a_single_pass_at_the_end_of_an_epoch_is_counted_and_left_out():
    model = seeded_model()
    meter = NoiseMeter(model, MICRO_BATCH, memory=None)
    for number in (3, 1, 3):
        window(model, batches(number))
        meter.step()
        model.zero_grad()
    assert (meter.noise_scale.num_steps, meter.noise_scale.num_skipped) == (2, 1)


def test_sparse_gradients_are_as_good():
    tokens = torch.tensor([[1, 1, 2], [2, 0, 4], [1, 3, 3]])
    found = []
    for sparse in (False, True):
        torch.manual_seed(0)
        embedding = nn.Embedding(5, 3, sparse=sparse)
        meter = NoiseMeter(embedding, 3)
        for chosen in tokens:
            (embedding(chosen).square().sum() / 3).backward()
        meter.step()
        assert embedding.weight.grad.is_sparse == sparse
        found.append(parts(meter))
    assert np.allclose(*found, rtol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16])
def test_gradients_of_other_types(dtype):
    model, pieces = seeded_model().to(dtype), []
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.register_hook(lambda piece: pieces.append(piece.double()))
    measurement = measured(model, batches(3).to(dtype))
    small = 3 * sum(float(piece.square().sum()) for piece in pieces)
    whole = sum(float(one.grad.double().square().sum()) for one in model.parameters() if one.grad is not None)
    expected = two_batch(small, whole, MICRO_BATCH, 3 * MICRO_BATCH)
    assert np.allclose(measurement, expected, rtol=1e-9 if dtype == torch.float64 else 1e-3)


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [((7,), torch.bfloat16), ((64, LARGE), torch.float32), ((1024, 4, LARGE // 1024), torch.bfloat16)],
)
def test_norms_are_summed_up_in_enough_digits(shape, dtype):
    numbers = torch.randn(shape, generator=torch.Generator().manual_seed(0)).to(dtype)
    found = norm(numbers)
    assert found.dtype == torch.float32 and found.shape == ()
    assert abs(float(found / numbers.double().square().sum().sqrt()) - 1) < 1e-5


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph")
def test_a_graph_of_the_gradients_is_not_kept():
    model = seeded_model()
    meter = NoiseMeter(model, MICRO_BATCH)
    for x in batches(2):
        model(x).backward(create_graph=True)
    assert not any(one.requires_grad for norms in meter._norms.values() for one in norms)
    meter.step()
    assert meter.noise_scale.num_steps == 1
    model.zero_grad()


def test_gradients_of_inputs_are_no_passes():
    model, data = seeded_model(), batches(2)
    expected = by_hand([gradient(model, x) for x in data])
    meter = NoiseMeter(model, MICRO_BATCH)
    for x in data:
        torch.autograd.grad(model(x.requires_grad_()), x)
        (model(x) / 2).backward()
    meter.step()
    assert np.allclose(parts(meter), expected, rtol=1e-4)


def test_parameters_frozen_later_are_left_out_and_those_unfrozen_later_stay_unseen():
    model, data = seeded_model(), batches(3)
    meter = NoiseMeter(model, MICRO_BATCH)
    model.last.requires_grad_(False)
    expected = by_hand([gradient(model, x) for x in data])
    model.frozen.requires_grad_(True)
    window(model, data)
    assert model.frozen.weight.grad is not None
    meter.step()
    assert np.allclose(parts(meter), expected, rtol=1e-4)


def test_a_model_that_changes_its_type_stays_measured():
    model, data = seeded_model(), batches(3).double()
    meter = NoiseMeter(model, MICRO_BATCH)
    model.double()
    expected = by_hand([gradient(model, x) for x in data])
    window(model, data)
    meter.step()
    assert np.allclose(parts(meter), expected, rtol=1e-9)


def test_remove_takes_the_hooks_off():
    model = seeded_model()
    meter = NoiseMeter(model, MICRO_BATCH)
    meter.remove()
    window(model, batches(2))
    with pytest.raises(ValueError, match="no gradients"):
        meter.step()


def test_a_measured_model_is_saved_copied_and_freed_like_any_other():
    model = seeded_model()
    meter = NoiseMeter(model, MICRO_BATCH)
    copied, file = copy.deepcopy(model), io.BytesIO()
    torch.save(model, file)
    window(copied, batches(2))
    with pytest.raises(ValueError, match="no gradients"):
        meter.step()
    gone = weakref.ref(model.last.weight)
    window(model, batches(2))
    del model, meter
    gc.collect()
    assert gone() is None


# -- mistakes --------------------------------------------------------------------------------------------------------------------


def test_one_pass_on_one_rank_cannot_be_compared():
    model = seeded_model()
    meter = NoiseMeter(model, MICRO_BATCH)
    window(model, batches(1))
    with pytest.raises(ValueError, match="accumulate two micro-batches or more"):
        meter.step()


@pytest.mark.parametrize("set_to_none", [True, False])
def test_step_after_zero_grad(set_to_none):
    model = seeded_model()
    meter = NoiseMeter(model, MICRO_BATCH)
    window(model, batches(3))
    model.zero_grad(set_to_none=set_to_none)
    with pytest.raises(ValueError, match="before zero_grad"):
        meter.step()


def test_step_twice_and_step_without_backward():
    model = seeded_model()
    meter = NoiseMeter(model, MICRO_BATCH)
    with pytest.raises(ValueError, match="once after the last backward pass"):
        meter.step()
    window(model, batches(3))
    meter.step()
    with pytest.raises(ValueError, match="once after the last backward pass"):
        meter.step()
    assert meter.noise_scale.num_steps == 1


def test_gradients_that_nobody_zeroed():
    model = seeded_model()
    meter = NoiseMeter(model, MICRO_BATCH, memory=None)
    window(model, batches(3))
    meter.step()
    window(model, batches(3))
    with pytest.raises(ValueError, match="held older ones"):
        meter.step()
    model.zero_grad()
    window(model, batches(3))
    meter.step()
    assert meter.noise_scale.num_steps == 2


def test_older_gradients_of_a_window_that_was_left_out_do_not_matter():
    model = seeded_model()
    window(model, batches(1))
    meter = NoiseMeter(model, MICRO_BATCH)
    window(model, batches(3))
    model.zero_grad()
    window(model, batches(3))
    meter.step()
    assert meter.noise_scale.num_steps == 1


def test_step_after_clipping():
    model = seeded_model()
    meter = NoiseMeter(model, MICRO_BATCH)
    window(model, batches(3))
    nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
    with pytest.raises(ValueError, match="before clipping"):
        meter.step()


def test_mixed_precision_is_measured_before_unscaling():
    expected = measured(seeded_model(), batches(3))
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for in_time in (True, False):
        model = seeded_model()
        meter, optimizer = NoiseMeter(model, MICRO_BATCH), torch.optim.SGD(model.parameters())
        for x in batches(3):
            scaler.scale(model(x) / 3).backward()
        if in_time:
            meter.step()
            assert np.allclose(parts(meter), np.multiply(expected, 1024**2), rtol=1e-4)
        scaler.unscale_(optimizer)
        if not in_time:
            meter.step()
            assert meter.noise_scale.squared_norm < 0 < expected[1]
        scaler.step(optimizer)
        scaler.update()


@pytest.mark.parametrize("micro_batch", [0, -8, float("inf"), float("nan")])
def test_micro_batch_is_a_number_of_examples(micro_batch):
    with pytest.raises(ValueError, match="micro_batch"):
        NoiseMeter(seeded_model(), micro_batch)


def test_a_model_without_trainable_parameters():
    with pytest.raises(ValueError, match="no trainable parameters"):
        NoiseMeter(seeded_model().requires_grad_(False), MICRO_BATCH)


def test_the_estimator_itself_needs_no_torch():
    program = "import sys, largebatch.noise_scale; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


# -- two ranks -------------------------------------------------------------------------------------------------------------------

SETTINGS = {
    "two ranks, one pass": ((1, 1), {}, True),
    "no_sync": ((3, 3), {}, True),
    "averaged at each pass": ((3, 3), {}, False),
    "gradients are views of buckets": ((2, 2), {"gradient_as_bucket_view": True}, True),
    "views, averaged at each pass": ((2, 2), {"gradient_as_bucket_view": True}, False),
    "parameters unused": ((2, 2), {"find_unused_parameters": True}, True),
    "unequal passes": ((1, 3), {}, True),
}
FACTOR = 0.5  # on all losses


def pieces_of(name, rank):
    """Return the micro-batches of a rank, and whether each uses the optional parameters."""
    passes, _, _ = SETTINGS[name]
    used = [name != "parameters unused" or rank == 1] * passes[rank]
    return list(zip(batches(passes[rank], seed=10 + rank), used, strict=True))


def run_window(model, pieces, no_sync):
    for number, (x, used) in enumerate(pieces, 1):
        with model.no_sync() if no_sync and number < len(pieces) else nullcontext():
            (model(x, used) * FACTOR).backward()


def error_of(action):
    """Return the text of the ValueError that an action raises."""
    try:
        action()
    except ValueError as error:
        return str(error)
    return "none"


def work(rank, folder):
    """Measure all settings, and what can go wrong, on one rank; leave the results in the folder."""
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo", f"file://{folder}/store", rank=rank, world_size=RANKS, timeout=timedelta(seconds=TIME_LIMIT / 2)
    )
    found = {}
    for name, (_, options, no_sync) in SETTINGS.items():
        model = DistributedDataParallel(seeded_model(), **options)
        meter = NoiseMeter(model, MICRO_BATCH, memory=None)
        for _ in range(2):
            run_window(model, pieces_of(name, rank), no_sync)
            meter.step()
            model.zero_grad()
        found[name] = *parts(meter), meter.noise_scale.num_steps

    model = DistributedDataParallel(seeded_model())
    meter = NoiseMeter(model, MICRO_BATCH)
    with model.no_sync():
        run_window(model, pieces_of("no_sync", rank), False)
    found["never averaged"] = error_of(meter.step)
    model.zero_grad()
    with model.no_sync():
        run_window(model, pieces_of("no_sync", rank), False)
    for parameter in meter._norms:
        dist.all_reduce(parameter.grad)
        parameter.grad /= RANKS
    meter.step()
    found["averaged by hand"] = parts(meter)
    model.zero_grad()
    found["no gradients"] = error_of(meter.step)

    meter = NoiseMeter(model, MICRO_BATCH)
    run_window(model, pieces_of("two ranks, one pass", rank), False)
    nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
    meter.step()
    found["clipped"] = parts(meter)
    model.zero_grad()

    group = dist.new_group([rank], use_local_synchronization=True)
    alone = DistributedDataParallel(seeded_model(), process_group=group)
    meter_alone = NoiseMeter(alone, MICRO_BATCH, group=group)
    run_window(alone, pieces_of("no_sync", rank), True)
    meter_alone.step()
    found["a group of one"] = parts(meter_alone)

    bad = [(x * (float("inf") if rank else 1), used) for x, used in pieces_of("two ranks, one pass", rank)]
    run_window(model, bad, False)
    meter.step()
    found["skipped"] = meter.noise_scale.num_skipped

    from torch.distributed.fsdp import fully_shard

    sharded = fully_shard(seeded_model())
    found["sharded"] = error_of(lambda: NoiseMeter(sharded, MICRO_BATCH))
    torch.save(found, f"{folder}/{rank}")
    dist.barrier()
    os._exit(0)  # gloo's thread may wait for ever for one that is shutting down


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """What each rank found."""
    folder = tmp_path_factory.mktemp("ranks")
    context = torch.multiprocessing.get_context("spawn")
    processes = [context.Process(target=work, args=(rank, str(folder)), daemon=True) for rank in range(RANKS)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(TIME_LIMIT)
        process.kill()
    return [torch.load(folder / str(rank)) for rank in range(RANKS)]


@pytest.mark.parametrize("name", SETTINGS)
def test_ranks_give_what_one_process_gives_with_the_same_pieces(ranks, name):
    model = seeded_model()
    gradients = [gradient(model, x, used) for rank in range(RANKS) for x, used in pieces_of(name, rank)]
    unit = FACTOR * len(gradients) / RANKS  # of .grad, which is the mean times this
    expected = np.multiply(by_hand(gradients), unit**2)
    assert ranks[0][name] == ranks[1][name]
    assert np.allclose(ranks[0][name], [*expected, 2], rtol=1e-3)


def test_gradients_may_be_averaged_by_hand(ranks):
    assert np.allclose(ranks[0]["averaged by hand"], ranks[0]["no_sync"][:2], rtol=1e-4)


def test_mistakes_are_named_on_both_ranks(ranks):
    for found in ranks:
        assert "no no_sync() at the last backward pass" in found["never averaged"]
        assert "no gradients" in found["no gradients"]
        assert "DTensor" in found["sharded"]


def test_clipping_before_the_measurement_hides_the_gradient(ranks):
    trace, squared_norm = ranks[0]["clipped"]
    true_trace, true_squared_norm, _ = ranks[0]["two ranks, one pass"]
    assert trace > 1.5 * true_trace and squared_norm < 0 < true_squared_norm


def test_a_group_says_who_is_averaged(ranks):
    for rank, found in enumerate(ranks):
        gradients = [gradient(seeded_model(), x) for x, _ in pieces_of("no_sync", rank)]
        expected = np.multiply(by_hand(gradients), (FACTOR * len(gradients)) ** 2)
        assert np.allclose(found["a group of one"], expected, rtol=1e-4)


def test_an_overflow_on_one_rank_is_left_out_by_both(ranks):
    assert [found["skipped"] for found in ranks] == [1, 1]
