"""Seconds of computing for one move of a slider, for every demo.

The demo's instrument (one figure, cleared and drawn again) is measured side by side with what a notebook does otherwise: a new
pyplot figure for each move, turned into an inline image by IPython. Both compute and draw the same random settings, in turn. Runs that a demo
keeps are forgotten before each move, and an answer that is refined later is timed until its first picture.

usage: python benchmarks/demos.py
"""

import importlib
import random
import time
from collections.abc import Callable
from statistics import median, quantiles

import ipywidgets as widgets
import matplotlib

matplotlib.use("agg")  # what JupyterLab's inline figures are drawn with

import matplotlib.pyplot as plt
from IPython.core.pylabtools import print_figure
from matplotlib.figure import Figure

from largebatch import demos
from largebatch.demos.instrument import DPI, Demo

MOVES, WARM_UP = 60, 3
GOAL = 100  # milliseconds: up to there a picture seems to follow the hand


def random_setting(demo: Demo) -> dict:
    """Return a value for every slider."""
    return {name: random_value(control) for name, control in demo.controls.items()}


def random_value(control: widgets.Widget):
    """Return a value that the slider can take."""
    if isinstance(control, widgets.SelectionSlider):
        option = random.choice(control.options)
        return option[1] if isinstance(option, tuple) else option
    return control.min + control.step * random.randrange(round((control.max - control.min) / control.step) + 1)


def new_inline_figure(demo: Demo) -> Callable[[dict], None]:
    """Return a move in the usual way: a new figure, drawn inline and closed."""

    def move(setting: dict) -> None:
        record = demo.compute(**setting)
        with plt.style.context("largebatch.course"):
            figure, axes = plt.subplots(figsize=demo.size, dpi=DPI)
            demo.draw(axes, record)
            print_figure(figure, base64=True)
            plt.close(figure)
        demo.reading(record)

    return move


def instrument(demo: Demo) -> Callable[[dict], None]:
    """Return a move of the demo's instrument."""
    figure = Figure(figsize=demo.size, dpi=DPI)

    def move(setting: dict) -> None:
        demo.answer(figure, setting)

    return move


def forget(demo: Demo) -> None:
    """Drop the runs that the demo keeps, so that every setting is a new one."""
    kept = getattr(importlib.import_module(demo.compute.__module__), "runs", None)
    if kept:
        kept.cache_clear()


def seconds(move: Callable[[dict], None], setting: dict) -> float:
    """Return how long one move takes."""
    start = time.perf_counter()
    move(setting)
    return time.perf_counter() - start


def compare(demo: Demo) -> tuple[list[float], list[float]]:
    """Return milliseconds of each move: new inline figure, instrument."""
    ways = new_inline_figure(demo), instrument(demo)
    times: tuple[list, list] = [], []
    for number in range(WARM_UP + MOVES):
        setting = random_setting(demo)
        for way, kept in zip(ways, times, strict=True):
            forget(demo)
            spent = 1000 * seconds(way, setting)
            if number >= WARM_UP:
                kept.append(spent)
    return times


def spread(times: list[float]) -> str:
    """Return median and 95th percentile."""
    return f"{median(times):.0f} / {quantiles(times, n=20)[-1]:.0f}"


def main() -> None:
    random.seed(0)
    names = sorted(
        name for name, value in vars(demos).items() if getattr(value, "__module__", "") == "largebatch.demos"
    )
    print(f"milliseconds a move, median / 95th percentile of {MOVES}; goal: at most {GOAL}")
    print("| demo | new inline figure | instrument | times quicker | goal met |")
    print("|---|---|---|---|---|")
    for name in names:
        usual, reused = compare(importlib.import_module(f"largebatch.demos.{name}").demo())
        ratio = median(slow / quick for slow, quick in zip(usual, reused, strict=True))
        met = "yes" if quantiles(reused, n=20)[-1] <= GOAL else "NO"
        print(f"| {name} | {spread(usual)} | {spread(reused)} | {ratio:.1f} | {met} |")


if __name__ == "__main__":
    main()
