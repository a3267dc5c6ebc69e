"""Every demo, at every edge of its ranges and at random settings: nothing raises, nothing warns, and every prediction is answered."""

import importlib
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import ipywidgets as widgets
import numpy as np
import pytest
from matplotlib.figure import Figure

from largebatch import demos
from largebatch.demos.instrument import DPI, Demo

NAMES = sorted(name for name, value in vars(demos).items() if getattr(value, "__module__", "") == "largebatch.demos")
LONGEST_READOUT = 18  # characters; JupyterLab cuts off what a slider shows beyond that


@pytest.fixture(params=NAMES)
def demo(request) -> Demo:
    return importlib.import_module(f"largebatch.demos.{request.param}").demo()


def figure(demo: Demo) -> Figure:
    return Figure(figsize=demo.size, dpi=DPI)


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
    modules = {path.stem for path in Path(demos.__file__).parent.glob("*.py")} - {"__init__", "instrument"}
    assert modules == set(NAMES)


@pytest.mark.filterwarnings("error")
def test_any_setting_is_computed_drawn_and_put_into_words(demo):
    canvas = figure(demo)
    for setting in settings(demo):
        record = demo.compute(**setting)
        assert demo.picture(canvas, record).startswith(b"\x89PNG"), setting
        reading = demo.reading(record)
        assert reading and not re.search(r"\b(nan|inf)\b", reading), f"{setting}: {reading}"


def test_same_setting_gives_the_same_picture_whatever_was_drawn_before(demo):
    ends = list(settings(demo))[: 2 ** len(demo.controls)]
    first, other = demo.compute(**ends[0]), demo.compute(**ends[-1])
    canvas = figure(demo)
    before = demo.picture(canvas, first)
    assert demo.picture(canvas, other) != before
    assert demo.picture(canvas, first) == before == demo.picture(figure(demo), first)


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
