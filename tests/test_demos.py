"""Every demo, at every edge of its ranges and at random settings: nothing raises, nothing warns, and every prediction is answered."""

import asyncio
import gc
import importlib
import io
import itertools
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import ipywidgets as widgets
import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from conftest import LESSONS, ROOT
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from nbclient import NotebookClient
from PIL import Image

from largebatch import demos
from largebatch.demos.canvas import DPI, MARGINS, kept_sheet, stamp
from largebatch.demos.instrument import SLICE, Demo
from largebatch.descent import excess_curves
from largebatch.knee import stream, uneven_problem

NAMES = sorted(name for name, value in vars(demos).items() if getattr(value, "__module__", "") == "largebatch.demos")
MOST_PICTURES = 12  # of one demo; a picture takes up to a hundred times as long as its record
SMALLEST_TEXT = 9  # points, at 100 pixels an inch
# What an axis may be named: with its unit in brackets, after what it counts, or as a number without unit.
UNIT = r".*\((examples|sequences|tokens|thousands|nats|seconds|milliseconds|days|GB)\)"
COUNTED = r"(accumulation )?(steps|examples|tokens|batches|GPUs)\b"
PURE = r"average gradient of a batch$|learning rate$|rate / tuned rate$|estimate of \|G\|² .* over the true \|G\|²"
LONGEST_READOUT = 18  # characters; JupyterLab cuts off what a slider shows beyond that


@pytest.fixture(params=NAMES)
def demo(request) -> Demo:
    return importlib.import_module(f"largebatch.demos.{request.param}").demo()


def drawn_by_matplotlib(demo: Demo, record) -> Figure:
    """Return the figure as matplotlib draws it."""
    with plt.style.context("largebatch.course"):
        figure = Figure(figsize=demo.size, dpi=DPI)
        figure.subplots_adjust(**MARGINS)
        demo.draw(figure.add_subplot(), record)
        figure.draw_without_rendering()
    return figure


class WholePixels(RendererAgg):
    """matplotlib's renderer, but for texts that begin at a whole pixel, as in the demos."""

    def draw_text(self, gc, x, y, *text, **details) -> None:
        super().draw_text(gc, round(x), round(y), *text, **details)


def rendered_by_matplotlib(demo: Demo, record) -> np.ndarray:
    """Return the colours of the picture that matplotlib makes, shape (height, width, 3)."""
    renderer = WholePixels(*(round(inches * DPI) for inches in demo.size), DPI)
    with plt.style.context("largebatch.course"):
        drawn_by_matplotlib(demo, record).draw(renderer)
    return np.asarray(renderer.buffer_rgba())[..., :3].astype(int)


def positions(control: widgets.Widget) -> list:
    """Return every value that a slider can take."""
    if isinstance(control, widgets.SelectionSlider):
        return [option[1] if isinstance(option, tuple) else option for option in control.options]
    if isinstance(control, widgets.IntSlider):
        return list(range(control.min, control.max + 1, control.step))
    assert isinstance(control, widgets.FloatSlider), f"say here which values {type(control).__name__} can take"
    return np.arange(control.min, control.max + control.step / 2, control.step).tolist()


def settings(demo: Demo) -> Iterator[dict]:
    """Yield all combinations of the ends of the ranges, then 50 random settings."""
    ranges = {name: positions(control) for name, control in demo.controls.items()}
    for ends in itertools.product(*[(values[0], values[-1]) for values in ranges.values()]):
        yield dict(zip(ranges, ends, strict=True))
    rng = np.random.default_rng(0)
    for _ in range(50):
        yield {name: values[rng.integers(len(values))] for name, values in ranges.items()}


def inside(widget: widgets.Widget, kind: type) -> list:
    """Return all widgets of a kind in a widget."""
    below = [found for child in getattr(widget, "children", ()) for found in inside(child, kind)]
    return ([widget] if isinstance(widget, kind) else []) + below


def texts(widget: widgets.Widget) -> list[str]:
    return [html.value for html in inside(widget, widgets.HTML)]


def test_every_module_is_a_demo_and_every_demo_has_its_module():
    modules = {path.stem for path in Path(demos.__file__).parent.glob("*.py")} - {"__init__", "instrument", "canvas"}
    assert modules == set(NAMES)


@pytest.mark.filterwarnings("error")
def test_any_setting_is_computed_drawn_and_put_into_words(demo):
    asked = list(settings(demo))
    pictured = np.random.default_rng(1).permutation(len(asked))[:MOST_PICTURES]
    for number, setting in enumerate(asked):
        record = demo.compute(**setting)
        if number in pictured:
            assert demo.picture(record).startswith(b"\x89PNG"), setting
        reading = demo.reading(record)
        assert reading and not re.search(r"\b(nan|inf)\b", reading), f"{setting}: {reading}"


def test_same_setting_gives_the_same_picture_whatever_was_drawn_before(demo):
    ends = list(settings(demo))[: 2 ** len(demo.controls)]
    first, other = demo.compute(**ends[0]), demo.compute(**ends[-1])
    before = demo.picture(first)
    assert demo.picture(other) != before
    assert demo.picture(first) == before
    kept_sheet.cache_clear()
    stamp.cache_clear()
    assert demo.picture(first) == before, "nor whether anything was"


def test_picture_is_the_one_that_matplotlib_makes_and_small(demo):
    """Where two letters touch, a stamped text is a shade off."""
    for setting in itertools.islice(settings(demo), 1, None, 17):
        record = demo.compute(**setting)
        picture = demo.picture(record)
        colours = np.asarray(Image.open(io.BytesIO(picture))).astype(int)
        assert np.abs(colours - rendered_by_matplotlib(demo, record)).max() <= 8, setting
        assert len(picture) < 80_000, "bytes to send for a move"


def test_one_prediction_is_right_and_each_is_explained(demo):
    record = demo.compute(**demo.values())
    explanations = {option: explain(record) for option, explain in demo.predictions.items()}
    verdicts = [re.match(r"(Yes|No): \S", text) for text in explanations.values()]
    assert all(verdicts), explanations
    assert [verdict[1] for verdict in verdicts].count("Yes") == 1, explanations
    assert len(set(explanations.values())) == len(explanations), "each option has its own explanation"


@pytest.mark.parametrize("name", NAMES)
def test_shown_demo_is_covered_until_a_prediction_is_made(name):
    for choice in range(len(inside(getattr(demos, name)(), widgets.Button))):
        shown = getattr(demos, name)()
        option = inside(shown, widgets.Button)[choice]
        assert not any("<img" in text for text in texts(shown))
        option.click()
        assert any(f"You predicted: {option.description}. " in text for text in texts(shown))
        assert sum("<img alt=" in text for text in texts(shown)) == 1
        assert all(button.disabled for button in inside(shown, widgets.Button)), "one prediction only"


def test_every_slider_moves_the_instrument(demo):
    instrument = demo.instrument()
    before = texts(instrument)
    for name, control in demo.controls.items():
        start = control.value
        control.value = next(value for value in reversed(positions(control)) if value != start)
        assert texts(instrument) != before, f"{name} changes neither picture nor reading"
        control.value = start
        assert texts(instrument) == before, f"{name} leaves a trace when it is moved back"


def test_sliders_say_in_text_what_they_are_and_where_they_stand(demo):
    for name, control in demo.controls.items():
        assert control.description and control.readout, name
        for option in getattr(control, "options", ()):
            text = str(option[0] if isinstance(option, tuple) else option)
            assert len(text) <= LONGEST_READOUT, (
                f"{name}: JupyterLab cuts {text!r} off; at most {LONGEST_READOUT} characters"
            )


# -- one look --------------------------------------------------------------------------------------------------------------------


def test_every_text_is_legible_and_inside_the_picture(demo):
    asked = list(settings(demo))
    for setting in [demo.values(), *asked[:: len(asked) // 3]]:
        figure = drawn_by_matplotlib(demo, demo.compute(**setting))
        sizes = [text.get_fontsize() for text in figure.findobj(Text) if text.get_text()]
        assert min(sizes) >= SMALLEST_TEXT, setting
        drawn, (width, height) = figure.get_tightbbox(), demo.size
        assert min(drawn.x0, drawn.y0) >= 0 and drawn.x1 <= width and drawn.y1 <= height, f"{setting}: {drawn}"


def test_every_axis_of_numbers_says_what_it_measures_and_in_which_unit(demo):
    figure = drawn_by_matplotlib(demo, demo.compute(**demo.values()))
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if any(re.search(r"\d$|⁰|[²-⁹]", label.get_text()) for label in axis.get_ticklabels()):
                name = axis.label.get_text() or axes.get_title(loc="left")
                assert re.match(f"{UNIT}|{COUNTED}|{PURE}", name), name


# -- the page of all demos -------------------------------------------------------------------------------------------------------

PAGE = (ROOT / "lessons" / "demos.py").read_text(encoding="utf-8")


def test_page_shows_every_demo_once_in_the_order_of_the_lessons():
    lessons = {name: (ROOT / "lessons" / f"{name}.py").read_text(encoding="utf-8") for name in LESSONS}
    used = {name: re.findall(r"^demos\.(\w+)\(\)$", text, re.M) for name, text in lessons.items()}
    shown = re.findall(r"^demos\.(\w+)\(\)$", PAGE, re.M)
    assert shown == list(itertools.chain.from_iterable(used.values())) and sorted(shown) == NAMES
    titles = {name: re.search(r"^# (\d\d · .+)$", text, re.M)[1].replace("$", "") for name, text in lessons.items()}
    sections = re.findall(r"^## (.+)$", PAGE, re.M)
    assert sections == [
        f"{titles[name][:2]} · [{titles[name][5:]}](../{name}/{name}.ipynb)" for name in lessons for _ in used[name]
    ]


def test_page_runs_as_a_script_without_a_warning_and_without_pytorch():
    script = "import runpy, sys; runpy.run_path('lessons/demos.py'); sys.exit('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-W", "error", "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0 and result.stderr == ""


def test_page_runs_as_a_notebook():
    notebook = nbformat.read(ROOT / "notebooks" / "demos" / "demos.ipynb", as_version=4)
    cells = [cell for cell in NotebookClient(notebook, timeout=60).execute().cells if cell.cell_type == "code"]
    for cell in cells[1:]:
        (output,) = cell.outputs
        assert "application/vnd.jupyter.widget-view+json" in output.data, cell.source


# -- answers that get better -----------------------------------------------------------------------------------------------------


def counting(pieces: int, failing: bool = False) -> Demo:
    """Return a demo whose finer answer takes so many pieces of 5 ms; it is the slider's value and "fine"."""

    def refine(record: str) -> Iterator[str | None]:
        for piece in range(pieces):
            time.sleep(0.005)
            yield f"{record}, piece {piece}" if piece % 2 else None
        if failing:
            raise ValueError("ran dry")
        yield record.replace("coarse", "fine")

    return Demo(
        title="Counting",
        controls={"number": widgets.IntSlider(description="number", min=1, max=9)},
        compute=lambda number: f"{number} coarse",
        draw=lambda axes, record: axes.set_title(record),
        reading=str,
        question="how many?",
        predictions={"one": lambda record: "Yes: one."},
        refine=refine,
    )


async def reading_after(instrument: widgets.Widget, part: str) -> str:
    """Return the reading once it holds this part."""
    for _ in range(1000):
        if part in texts(instrument)[-1]:
            return texts(instrument)[-1]
        await asyncio.sleep(0.01)
    raise AssertionError(f"{part!r} is not in {texts(instrument)[-1]!r}")


def test_fine_answer_takes_the_place_of_the_coarse_one():
    async def scenario():
        instrument = counting(5).instrument()
        before = texts(instrument)
        assert "1 coarse" in before[1]
        assert "1 fine" in await reading_after(instrument, "fine")
        assert texts(instrument)[0] != before[0], "the picture is the finer one, too"

    asyncio.run(scenario())


def test_move_ends_the_answer_to_the_one_before():
    async def scenario():
        demo = counting(200)
        instrument, seen = demo.instrument(), []
        inside(instrument, widgets.HTML)[1].observe(lambda change: seen.append(change.new), names="value")
        await asyncio.sleep(0.3)  # in the middle of the first
        demo.controls["number"].value = 2
        assert "2 coarse" in texts(instrument)[1]
        await reading_after(instrument, "2 fine")
        await asyncio.sleep(0.3)
        assert len(seen) == 2, "the reading changes with the first answer and with the last, never between"
        assert len(asyncio.all_tasks()) == 1, "nothing goes on in the background"

    asyncio.run(scenario())


def test_moves_are_heard_between_slices():
    async def scenario():
        instrument, gaps = counting(200).instrument(), []
        while "fine" not in texts(instrument)[1]:
            start = time.perf_counter()
            await asyncio.sleep(0)
            gaps.append(time.perf_counter() - start)
        slices = [gap for gap in gaps if gap > SLICE]
        assert len(slices) > 5
        assert sorted(slices)[len(slices) // 2] < 3 * SLICE, "a busy machine may stretch some of them"

    asyncio.run(scenario())


def test_film_shows_every_better_answer_in_turn(monkeypatch):
    monkeypatch.setattr(importlib.import_module("largebatch.demos.instrument"), "FRAME", 0.5)

    async def scenario():
        demo = replace(counting(6), film=True)
        instrument, seen = demo.instrument(), []
        inside(instrument, widgets.HTML)[0].observe(lambda change: seen.append(time.perf_counter()), names="value")
        await reading_after(instrument, "fine")
        assert len(seen) == 4, "pieces 1, 3 and 5, and the last"
        assert np.diff(seen).min() > 0.5

    asyncio.run(scenario())


def test_failure_of_the_finer_answer_is_shown():
    async def scenario():
        assert "ValueError: ran dry" in await reading_after(counting(3, failing=True).instrument(), "No finer answer")

    asyncio.run(scenario())


@pytest.mark.filterwarnings("error")
def test_without_an_event_loop_the_coarse_answer_stays():
    instrument = counting(3).instrument()
    time.sleep(0.3)
    assert "1 coarse" in texts(instrument)[1]


def test_closed_demo_and_ended_loop_leave_no_noise(caplog, capfd):
    async def scenario(close: bool):
        counting(40).instrument()
        await asyncio.sleep(0.2)
        if close:
            widgets.Widget.close_all()
            await asyncio.sleep(0.5)

    for close in (True, False):
        asyncio.run(scenario(close))
    assert not caplog.records and capfd.readouterr().err == ""


# -- the knee --------------------------------------------------------------------------------------------------------------------

KNEE = importlib.import_module("largebatch.demos.knee")


@pytest.fixture
def quick_fine(monkeypatch):
    """Make the fine answer of the knee a quick one."""
    quick = replace(KNEE.FINE, num_seeds=2, num_rates=3, rate_ratio=3, grid_ratio=1.3, budget=(300, 2**15))
    monkeypatch.setattr(KNEE, "FINE", quick)


@pytest.mark.filterwarnings("error")
def test_knee_gets_finer_at_any_setting(quick_fine):
    demo = KNEE.demo()
    for setting in list(settings(demo))[::4]:
        records = [record for record in demo.refine(demo.compute(**setting)) if record]
        for record in (records[0], records[-1]):
            assert demo.picture(record).startswith(b"\x89PNG")
            assert not re.search(r"\b(nan|inf)\b", demo.reading(record)), setting
        assert "Coarse:" in demo.reading(records[0]) and "Fine:" in demo.reading(records[-1])


def test_knee_says_the_same_whatever_was_run_before(quick_fine):
    start = {"largest": 4096, "rule": KNEE.TUNED, "warmup": "none", "target": 0.3, "label_noise": 0.1}

    def answers(targets):
        KNEE.runs.cache_clear()
        found = {target: list(KNEE.refine(KNEE.compute(**start | {"target": target})))[-1] for target in targets}
        return [KNEE.reading(found[target]) for target in sorted(targets)]

    assert answers(KNEE.TARGETS) == answers(KNEE.TARGETS[::-1])


def test_runs_of_the_knee_are_those_of_the_engine():
    problem, rates, effort = uneven_problem(0.2), (0.5, 2.0, 4.0), replace(KNEE.FINE, num_seeds=3)
    target = 0.2 * problem.initial_excess
    made = KNEE.Runs(0.2, 64, 7, rates, effort)
    assert len(list(made.until(target))) > 10
    curves = excess_curves(problem, 64, np.array(rates), target, 3, stream(0, 64), warmup_steps=7)
    np.testing.assert_allclose(made.steps_to(target).min(), curves.steps_to(target).min(), rtol=1e-4)


def test_knee_moves_right_for_a_harder_target_and_for_noisier_labels():
    def knee(**changes) -> float:
        setting = {"largest": 4096, "rule": KNEE.TUNED, "warmup": "none", "target": 0.2, "label_noise": 0.0}
        return list(KNEE.refine(KNEE.compute(**setting | changes)))[-1].law[1]

    assert 1.5 * knee() < knee(target=0.05)
    assert 1.5 * knee() < knee(label_noise=0.3)


# -- the meter of the noise scale ------------------------------------------------------------------------------------------------

METER = importlib.import_module("largebatch.demos.noise_scale_meter")


def estimates_of(where: str, micro_batch: int, pieces: int, num_steps: int) -> np.ndarray:
    """Return tr Σ and |G|² of single steps, shape (num_steps, 2)."""
    stream = METER.stream(METER.Setting(where, micro_batch, pieces, 1))
    return np.array(list(itertools.islice(itertools.chain.from_iterable(stream), num_steps)))


def settled(**setting):
    """Return what the meter shows in the end."""
    return list(METER.refine(METER.compute(**setting)))[-1]


def test_points_of_the_meter_are_those_of_a_run():
    truths = [METER.Setting(where, 32, 8, 300).truth for where in METER.SHARES]
    np.testing.assert_allclose(truths[0], uneven_problem().noise(np.zeros(32)))
    scales = [trace / squared_norm for trace, squared_norm in truths]
    assert scales == sorted(scales) and 100 < scales[0] < 200 < scales[1] < 1000 < scales[3]


@pytest.mark.parametrize(
    ("where", "micro_batch", "pieces"), [("start", 1, 2), ("10 % left", 32, 8), ("3 % left", 1, 64)]
)
def test_single_estimates_are_unbiased_and_spread_as_theory_says(where, micro_batch, pieces):
    gradients = METER.gradients_on_the_run()[where]
    mean, covariance = gradients.mean(axis=0), np.cov(gradients.T, bias=True)
    batch, num_steps = micro_batch * pieces, 4000
    # Two pieces' gradients multiplied, averaged over all pairs: Hoeffding's variance of a U-statistic, for any distribution.
    pairs = 2 * (covariance**2).sum() / (micro_batch**2 * pieces * (pieces - 1))
    spread = np.sqrt(4 * mean @ covariance @ mean / batch + pairs)
    traces, squared_norms = estimates_of(where, micro_batch, pieces, num_steps).T
    assert abs(squared_norms.mean() - mean @ mean) < 4 * spread / np.sqrt(num_steps)
    assert squared_norms.std() == pytest.approx(spread, rel=0.1)
    assert abs(traces.mean() - covariance.trace()) < 4 * traces.std() / np.sqrt(num_steps)


def test_other_splits_of_a_batch_see_the_same_examples():
    squared_norms = []
    for micro_batch, pieces in ((4, 16), (16, 4), (32, 2)):
        traces, unbiased = estimates_of("10 % left", micro_batch, pieces, 100).T
        squared_norms.append(unbiased + traces / 64)  # of the mean gradient
    np.testing.assert_allclose(squared_norms[1:], squared_norms[:1] * 2, rtol=1e-4)


@pytest.mark.parametrize("where", list(METER.SHARES))
def test_meter_settles_at_the_truth_and_the_plug_in_below_the_batch(where):
    seen = settled(where=where, micro_batch=64, pieces=16, window=1000)
    assert len(seen.estimates) == METER.NUM_STEPS and seen.last.num_steps == 1000
    assert seen.last.value == pytest.approx(seen.true_scale, rel=0.1)
    limit = 1 / (1 / 1024 + 1 / seen.true_scale)
    assert seen.plug_in(seen.last) == pytest.approx(limit, rel=0.1) and limit < 1024


def test_meter_averages_its_window_and_no_more():
    seen = settled(where="start", micro_batch=32, pieces=8, window=30)
    for steps in (8, METER.READ_AT[20], METER.READ_AT[80]):
        traces, squared_norms = seen.estimates[max(0, steps - 30) : steps].mean(axis=0)
        assert seen.meters[steps].value == pytest.approx(traces / squared_norms)


def test_meter_goes_on_where_it_was_and_every_window_sees_the_same_steps():
    first = METER.compute(where="start", micro_batch=8, pieces=4, window=10)
    last = settled(where="start", micro_batch=8, pieces=4, window=300)
    assert len(first.estimates) == min(step for step in METER.READ_AT if step >= METER.FIRST_STEPS)
    np.testing.assert_array_equal(first.estimates, last.estimates[: len(first.estimates)])


@pytest.mark.filterwarnings("error")
def test_meter_in_the_end_is_drawn_and_put_into_words_at_any_setting():
    demo = METER.demo()
    for setting in list(settings(demo))[:8]:
        seen = settled(**setting)
        assert demo.picture(seen).startswith(b"\x89PNG")
        words = demo.reading(seen)
        assert not re.search(r"\b(nan|inf)\b", words), setting
        says = "too few" if setting["window"] == 1 else "interval" if seen.last.resolved else "not resolved"
        assert says in words


def test_meter_says_what_wrong_ways_come_to_and_which_prediction_holds():
    words = METER.reading(settled(where="10 % left", micro_batch=32, pieces=8, window=1000))
    trace, squared_norm = METER.Setting("10 % left", 32, 8, 1000).truth
    limit = 1 / (1 / 256 + squared_norm / trace)
    assert f"heads for {limit:.0f}, below the batch of 256" in words
    negative = (estimates_of("10 % left", 32, 8, METER.NUM_STEPS)[:, 1] < 0).mean()
    assert f"{100 * negative:.0f} % are negative" in words and negative > 1 / 3
    demo = METER.demo()
    seen = demo.compute(**demo.values())
    said = {option: explanation(seen).split(":")[0] for option, explanation in demo.predictions.items()}
    assert said == {"none": "No", "about one in ten": "No", "more than a third": "Yes"}


# -- the numbers behind some demos ------------------------------------------------------------------------------------------------


def test_an_answer_leaves_garbage_collection_as_it_was(demo):
    for collecting in (True, False):
        (gc.enable if collecting else gc.disable)()
        try:
            demo.answer(demo.values())
            assert gc.isenabled() == collecting
        finally:
            gc.enable()


def test_schedule_counts_its_warmup_and_its_area():
    schedule = importlib.import_module("largebatch.demos.schedule")
    assert schedule.compute(8192, "linear", 5, "thousands", 10**6).warmup_steps == 1
    designed = schedule.compute(1024, "linear", 5, "steps per 32", 10**6)
    rates = 0.05 * 32 * np.minimum(1, np.arange(1, designed.num_steps + 1) / 160)
    assert designed.area == pytest.approx(rates.sum())
    assert designed.kept == pytest.approx(rates.sum() / (0.05 * 32 * designed.num_steps))


def test_a_step_of_twice_the_best_rate_gains_nothing():
    rules = importlib.import_module("largebatch.demos.learning_rate_rules")
    for batch, noise_scale in ((64, 1000), (256, 30)):
        at_the_limit = rules.compute(batch, noise_scale, noise_scale + 2 * batch, "same path")
        assert at_the_limit.overshoot("same path") == pytest.approx(2)
        assert at_the_limit.progress("same path") == pytest.approx(0, abs=1e-9)
        assert rules.compute(batch, noise_scale, 7, "best step").progress("best step") == pytest.approx(1)


def test_knee_applies_the_rule_and_says_where_the_run_is_over_before_the_warmup():
    knee = importlib.import_module("largebatch.demos.knee")
    rates = {
        rule: knee.Setting(4096, rule, "none", 0.1, 0.0).at(128, 1.0, knee.FINE).rates
        for rule in (knee.LINEAR, knee.FIXED)
    }
    assert rates == {knee.LINEAR: (4.0,), knee.FIXED: (1.0,)}
    answer = knee.compute(largest=4096, rule=knee.LINEAR, warmup="5 steps × B/32", target=0.1, label_noise=0.0)
    for better in knee.refine(answer):
        answer = better or answer
    assert "At B = 4096 the run is over before the warmup." in knee.reading(answer)


def test_optimizers_are_judged_by_steps_and_by_examples():
    quadratic = importlib.import_module("largebatch.demos.quadratic_knee")

    def said(optimizer: str, momentum: float, exponent: float, target: float) -> str:
        return quadratic.reading(quadratic.compute(optimizer, momentum, exponent, target))

    assert "without it S_min would be 16 steps" in said("momentum", 0.9, 0.5, 0.03)
    assert "without it S_min would be 11 steps" in said("both", 0.9, 1.0, 0.03)
    assert "only because more examples are needed" in said("momentum", 0.99, 0.75, 0.5)
    assert "B_crit alone is no score" in said("both", 0.99, 1.0, 0.03)
    quiet = said("momentum", 0.9, 1.0, 0.03)
    assert "E_min stays" in quiet and not any(word in quiet for word in ("hurts", "Beware", "score"))
    demo = quadratic.demo()
    found = demo.compute(**demo.values())
    answers = {option: explanation(found).split(":")[0] for option, explanation in demo.predictions.items()}
    assert answers == {"both": "No", "only S_min": "Yes", "only E_min": "No"}


def test_timeline_shows_each_event_for_its_share_of_the_time():
    timeline = importlib.import_module("largebatch.demos.step_timeline")
    setting = timeline.demo().values() | {"strategy": "zero3", "num_ranks": 64}
    events = timeline.compute(**setting).timeline
    shares = {
        kind: timeline.busy_share(events.start[events.kind == kind], events.end[events.kind == kind], events.seconds)
        for kind in set(events.kind)
    }
    spent = sum(share.mean() for share in shares.values()) * events.seconds
    assert spent == pytest.approx(events.compute_seconds + events.communication_seconds)
    columns = np.linspace(0, events.seconds, timeline.WIDTH + 1)
    assert shares["forward"][columns[1:] <= events.start[events.kind == "forward"][0]].max() == 0
    assert np.all(shares["all-gather"] + shares["reduce-scatter"] <= 1 + 1e-9), "one thing at a time is sent"


def test_timeline_says_that_bytes_are_not_time():
    timeline = importlib.import_module("largebatch.demos.step_timeline")
    demo = timeline.demo()
    step = demo.compute(**demo.values())
    words = [explanation(step) for explanation in demo.predictions.values()]
    assert [text.split(":")[0] for text in words] == ["No", "Yes", "No"]
    assert all("98 GB become 24.5 GB" in text for text in words)
    assert "24.5 GB in 32 collectives" in timeline.reading(step)
    alone = timeline.compute(**demo.values() | {"num_ranks": 1})
    assert "A single rank sends nothing" in timeline.reading(alone) and "<b>0%</b>" in timeline.reading(alone)
    assert [timeline.share(part) for part in (0, 1e-4, 0.34, 0.999)] == ["0%", "less than 1%", "34%", "more than 99%"]


def test_memory_ledger_says_what_fits_and_what_would_help():
    ledger = importlib.import_module("largebatch.demos.memory_ledger")
    start = {
        "model": "13B, LLaMA",
        "num_ranks": 4,
        "convention": "ZeRO paper",
        "gpu": 40,
        "micro_batch": 1,
        "recompute": "full",
    }

    def found(**changes):
        return ledger.compute(**start | changes)

    # 40 layers keep their input; the logits, 2 + 4 + 4 bytes each, are more than the one layer that is there as a whole.
    inputs, logits = 2048 * 5120 * 40 * 2, 2048 * 32_000 * 10
    activations = inputs + logits
    assert found().activations == activations
    assert [found().total(stage) for stage in range(4)] == [each * 1e9 + activations for each in (208, 91, 71.5, 52)]
    words = ledger.reading(found())
    assert "stage 3 <b>does not fit</b>, by 13.5 GB" in words and words.endswith("Stage 3 would need 6 ranks.")
    assert ledger.verdict(found(num_ranks=8).spare(3)) == "<b>fits</b>, 12.5 GB to spare"
    assert found(num_ranks=6).spare(3) > 0 > found(num_ranks=5).spare(3)
    few_words = ledger.SHAPES["13B, LLaMA"]._replace(vocabulary=100)
    assert ledger.kept_for_backward(few_words, 1, "full") == inputs + 2048 * 5120 * 34, "now the layer is more"
    assert found(recompute="selective").activations == 2048 * 5120 * 40 * 34 + logits
    assert "no sharding of model states helps" in ledger.reading(found(micro_batch=32, recompute="none"))
    assert "a rank holds 2.0 MB of model states" in ledger.reading(found(model="0.125B, GPT-3", num_ranks=1024))


def test_memory_ledger_shows_the_gpu_or_the_shortest_bar():
    ledger = importlib.import_module("largebatch.demos.memory_ledger")
    for model, num_ranks in itertools.product(ledger.SHAPES, (1, 8, 1024)):
        found = ledger.compute(model, num_ranks, "ZeRO paper", 80, 1, "selective")
        totals, end = [found.total(stage) for stage in range(4)], ledger.shown_bytes(found)
        assert min(totals) < end and (end > found.gpu_bytes or 4 * max(totals) < found.gpu_bytes)
        assert max(totals) > 0.15 * end, "the longest bar can be read"


# -- the planner -----------------------------------------------------------------------------------------------------------------

PLANNER = importlib.import_module("largebatch.demos.planner")


def numbers_in(words: str) -> list[float]:
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\.?\d*", words)]


def test_planner_scales_perfectly_to_the_floor_at_the_balanced_gpus():
    for setting in settings(PLANNER.demo()):
        sizing = PLANNER.compute(**setting)
        balanced, floor = sizing.balanced_gpus, sizing.floor_seconds
        assert sizing.least_seconds / balanced == pytest.approx(floor), "the two lines cross there"
        assert np.all(sizing.seconds(PLANNER.GPUS) > np.maximum(sizing.least_seconds / PLANNER.GPUS, floor))
        batches = np.maximum(2048 * balanced, np.geomspace(1e-3, 1e3, 4001) * sizing.critical_batch)
        steps = sizing.min_tokens / batches + sizing.min_tokens / sizing.critical_batch
        computing = 6 * sizing.num_params * batches / 4e14 / balanced
        shortest = (steps * (computing + 4 * sizing.num_params / sizing.gigabytes_per_second / 1e9)).min()
        assert sizing.seconds(balanced) == pytest.approx(shortest, rel=1e-5)
        clipped = 2048 * balanced > sizing.critical_batch
        assert (sizing.seconds(balanced) > 4.0001 * floor) == clipped
        words = PLANNER.reading(sizing)
        assert ("takes four times that" in words) != clipped
        assert ("one sequence for each is already more than the critical batch" in words) == clipped


def test_planner_gives_each_gpu_a_sequence():
    sizing = PLANNER.compute(1e9, 20, 0.25, 300, 1024)
    assert sizing.batch(1024) == 2048 * 1024 > sizing.best_batch(1024) and "one sequence a GPU" in PLANNER.reading(
        sizing
    )
    few = PLANNER.compute(1e9, 20, 0.25, 300, 2)
    assert few.batch(2) == few.best_batch(2) > 2 * 2048 and "the best one" in PLANNER.reading(few)


def test_planner_reads_out_what_it_computes():
    demo = PLANNER.demo()
    words = PLANNER.reading(demo.compute(**demo.values()))
    num_gpus, per_token, overhead = 64, 6 * 7e9 / 4e14, 2 * 2 * 7e9 / 12.5e9
    batch = np.sqrt(num_gpus * 4e6 * overhead / per_token)
    step = per_token * batch / num_gpus + overhead
    seconds = (140e9 / batch + 140e9 / 4e6) * step
    told = [
        64, batch / 1e6, seconds / 86_400, num_gpus * seconds / 3600 * 2.5, num_gpus * seconds / per_token / 140e9,
        100 * overhead / step, 100 * batch / (batch + 4e6), overhead * 140e9 / 4e6 / 3600, 4e6 * per_token / overhead,
    ]  # fmt: skip
    assert numbers_in(words) == pytest.approx(told, rel=0.02)
    said = {option: explain(demo.compute(**demo.values())) for option, explain in demo.predictions.items()}
    assert [text.split(":")[0] for text in said.values()] == ["No", "Yes", "No"]
    after = PLANNER.compute(**demo.values() | {"num_gpus": 256})
    assert all(f"{after.seconds(256) / seconds:.2f} times as long" in text for text in said.values())


def test_planner_writes_amounts_and_times():
    assert [PLANNER.amount(number) for number in (0.1234, 12.3, 1500, 2.5e6, 3.21e9)] == [
        "0.12", "12", "1,500", "2.5 million", "3.21 billion",
    ]  # fmt: skip
    spans = [PLANNER.span(days * 86_400) for days in (0.25, 1.99, 2, 999, 3650)]
    assert spans == ["6 hours", "48 hours", "2 days", "999 days", "10 years"]
