"""How quickly the demos follow the hand: from the press of a key until the browser shows the new picture, and what of it is computing.

Every demo is moved by the arrow keys in JupyterLab in a headless browser, beside what a notebook does otherwise: ipywidgets' `interact` with the
same computation and a new inline figure each time. Both make the same moves in turn, each in a notebook of its own. Then the computing alone:
both ways on the same random settings, in turn, without the runs that a demo keeps.

usage: python benchmarks/demos.py
"""

import importlib
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from statistics import median, quantiles

import ipywidgets as widgets
import matplotlib

matplotlib.use("agg")  # what JupyterLab's inline figures are drawn with

import matplotlib.pyplot as plt
import nbformat
from IPython.core.pylabtools import print_figure
from playwright.sync_api import Browser, Page, expect

from largebatch import demos
from largebatch.demos.canvas import DPI
from largebatch.demos.instrument import Demo

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

from browser import TOKEN, Lab, jupyterlab, open_browser

MOVES, WARM_UP = 20, 3
SETTINGS = 40  # of which the computing is timed
REST = 150  # milliseconds between two moves: a hand is no quicker, and a demo that refines its answer is at it by then
GOALS = 75, 100  # milliseconds, median and 95th percentile: up to there a picture seems to follow the hand
NAMES = sorted(name for name, value in vars(demos).items() if getattr(value, "__module__", "") == "largebatch.demos")

PLAIN = """
import matplotlib.pyplot as plt
from ipywidgets import interact
from largebatch.demos.{name} import demo

plt.style.use("largebatch.course")
shown = demo()

def show(**setting):
    record = shown.compute(**setting)
    figure, axes = plt.subplots(figsize=shown.size, dpi=100)
    shown.draw(axes, record)
    plt.show()
    print(shown.reading(record))

interact(show, **shown.controls);
"""
INSTRUMENT = """
from largebatch.demos.{name} import demo

demo().instrument()
"""
# Resolves with the milliseconds from the next key to the first frame after a new picture is there and decoded, or new words where it stays.
NEXT_ANSWER = """() => {
    const output = document.querySelector(".jp-OutputArea")
    const image = () => output.querySelector("img"), words = () => output.querySelector("[role=status]")?.textContent
    const before = [image(), words()]
    window.moved = new Promise(resolve => {
        let pressed
        document.addEventListener("keydown", event => { pressed = event.timeStamp }, {capture: true, once: true})
        const observer = new MutationObserver(() => {
            if (pressed === undefined || !image() || image() === before[0] && words() === before[1]) return
            observer.disconnect()
            image().decode().then(() => requestAnimationFrame(now => resolve(now - pressed)))
        })
        observer.observe(output, {subtree: true, childList: true, characterData: true})
    })
}"""


# -- from the key to the picture -------------------------------------------------------------------------------------------------


def positions(control: widgets.Widget) -> list:
    """Return every value that a slider can take."""
    if isinstance(control, widgets.SelectionSlider):
        return [option[1] if isinstance(option, tuple) else option for option in control.options]
    count = round((control.max - control.min) / control.step) + 1
    return [control.min + control.step * number for number in range(count)]


def random_moves(demo: Demo) -> list[tuple[int, str]]:
    """Return moves as numbers of sliders and keys, each of which changes the reading."""
    ranges = {name: positions(control) for name, control in demo.controls.items()}
    at = {name: ranges[name].index(value) for name, value in demo.values().items()}

    def reading() -> str:
        return demo.reading(demo.compute(**{name: ranges[name][at[name]] for name in at}))

    moves, shown = [], reading()
    while len(moves) < WARM_UP + MOVES:
        name, step = random.choice(list(at)), random.choice([-1, 1])
        if not 0 <= at[name] + step < len(ranges[name]):
            continue
        at[name] += step
        after = reading()
        if after == shown:
            at[name] -= step
        else:
            shown = after
            moves.append((list(at).index(name), "ArrowRight" if step > 0 else "ArrowLeft"))
    return moves


@contextmanager
def notebook(browser: Browser, lab: Lab, name: str, code: str) -> Iterator[Page]:
    """Show a notebook of one cell in a new window, run it, and shut its kernel down in the end."""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    cells = [nbformat.v4.new_code_cell(code.strip())]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), lab.root / f"{name}.ipynb")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(lab.page(f"{name}.ipynb"))
    page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').wait_for()
    page.locator(".jp-Notebook .cm-content").click()
    for _ in range(3):  # a kernel that says "idle" may not hear yet
        page.keyboard.press("Control+Enter")
        with suppress(AssertionError):
            expect(page.locator(".jp-InputPrompt")).not_to_have_text("[ ]:", timeout=5000)
            break
    page.locator(".jp-OutputArea").get_by_role("slider").first.wait_for(timeout=60_000)
    yield page
    sessions, token = f"{lab.url}/api/sessions", {"Authorization": f"token {TOKEN}"}
    for session in page.request.get(sessions, headers=token).json():
        if session["name"] == f"{name}.ipynb":
            page.request.delete(f"{sessions}/{session['id']}", headers=token)
    page.close()


def key_to_picture(page: Page, slider: int, key: str) -> float:
    """Make one move after a rest; return its milliseconds."""
    page.locator(".jp-OutputArea").get_by_role("slider").nth(slider).focus()
    page.wait_for_timeout(REST)
    page.evaluate(NEXT_ANSWER)
    page.keyboard.press(key)
    return page.evaluate("window.moved")


def following(browser: Browser, lab: Lab, name: str, moves: list[tuple[int, str]]) -> tuple[list[float], list[float]]:
    """Return milliseconds from key to picture, by interact and by the demo; each move is made in both, in turn."""
    with (
        notebook(browser, lab, f"{name}_plain", PLAIN.format(name=name)) as plain,
        notebook(browser, lab, name, INSTRUMENT.format(name=name)) as ours,
    ):
        times = [(key_to_picture(plain, *move), key_to_picture(ours, *move)) for move in moves]
    usual, quick = zip(*times[WARM_UP:], strict=True)
    return list(usual), list(quick)


# -- the computing alone ---------------------------------------------------------------------------------------------------------


def by_pyplot(demo: Demo, setting: dict) -> None:
    """Make a new pyplot figure, inline, as IPython does."""
    record = demo.compute(**setting)
    with plt.style.context("largebatch.course"):
        figure, axes = plt.subplots(figsize=demo.size, dpi=DPI)
        demo.draw(axes, record)
        print_figure(figure, base64=True)
        plt.close(figure)
    demo.reading(record)


def forget(demo: Demo) -> None:
    """Drop the runs that the demo keeps, so that every setting is a new one."""
    kept = getattr(importlib.import_module(demo.compute.__module__), "runs", None)
    if kept:
        kept.cache_clear()


def computing(demo: Demo) -> tuple[list[float], list[float]]:
    """Return milliseconds of the processor for each random setting: by pyplot, by the demo."""
    ways: tuple[Callable[[Demo, dict], object], ...] = by_pyplot, Demo.answer
    times: tuple[list[float], list[float]] = [], []
    for _ in range(WARM_UP + SETTINGS):
        setting = {name: random.choice(positions(control)) for name, control in demo.controls.items()}
        for way, kept in zip(ways, times, strict=True):
            forget(demo)
            start = time.process_time()
            way(demo, setting)
            kept.append(1000 * (time.process_time() - start))
    return times[0][WARM_UP:], times[1][WARM_UP:]


# -- the tables ------------------------------------------------------------------------------------------------------------------


def p95(times: list[float]) -> float:
    """Return the 95th percentile."""
    return quantiles(times, n=20, method="inclusive")[-1]


def row(name: str, plain: list[float], ours: list[float]) -> str:
    """Return a row of a table: median / 95th percentile of both ways, and how many times quicker the demo is, move by move."""
    ratio = median(slow / quick for slow, quick in zip(plain, ours, strict=True))
    return f"| {name} | {median(plain):.0f} / {p95(plain):.0f} | {median(ours):.0f} / {p95(ours):.0f} | {ratio:.1f} |"


def main() -> None:
    random.seed(0)
    shown = {name: importlib.import_module(f"largebatch.demos.{name}").demo for name in NAMES}
    moves = {name: random_moves(demo()) for name, demo in shown.items()}
    print(f"milliseconds from the key to the picture, median / 95th percentile of {MOVES} moves")
    print("| demo | interact, new inline figure | demo | times quicker | goal met |")
    print("|---|---|---|---|---|")
    plain, ours = {}, {}
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        open_browser() as browser,
        jupyterlab(Path(folder)) as lab,
    ):
        for name in NAMES:
            plain[name], ours[name] = following(browser, lab, name, moves[name])
            met = median(ours[name]) <= GOALS[0] and p95(ours[name]) <= GOALS[1]
            print(row(name, plain[name], ours[name]), "yes |" if met else "NO |", flush=True)

    print(f"\nmilliseconds of the processor for computing, median / 95th percentile of {SETTINGS} random settings")
    print("| demo | new inline figure | demo | times quicker |")
    print("|---|---|---|---|")
    for name in NAMES:
        print(row(name, *computing(shown[name]())))
    worst, usual = max(p95(times) for times in ours.values()), median(chain.from_iterable(plain.values()))
    print(f"\nRESULT demos={len(NAMES)} worst_p95_ms={worst:.0f} plain_median_ms={usual:.0f}")


if __name__ == "__main__":
    main()
