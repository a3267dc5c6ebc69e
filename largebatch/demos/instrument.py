"""One helper for every demo of the course: sliders, a picture, a reading in words, and a prediction to make before anything is shown.

The picture is a matplotlib figure, drawn by canvas.py in less than half of the time of an inline figure (benchmarks/demos.py), and the
page does not jump. It is shown as an HTML image, because ipywidgets' own has no alternative text. What a move shows depends on nothing but
the sliders, so a demo shows the same for the same sliders.

An answer that would keep a move waiting comes in parts: a coarse one at once, then better ones while nothing moves. Those are worked
out on the kernel's event loop, in slices so short that the next move is soon heard.
"""

import asyncio
import base64
import gc
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import ipywidgets as widgets
from matplotlib.axes import Axes

from largebatch.demos.canvas import STYLE, pixels, png

COLOURS = dict(  # the cycle of the style, by name
    zip(
        ("blue", "red", "green", "orange", "purple", "sky", "grey"),
        STYLE["axes.prop_cycle"].by_key()["color"],
        strict=True,
    )
)
# Seconds, for answers that get better: wait for the hand to rest, work, let a move be seen, and leave a picture (of a film) for a while.
REST, SLICE, PAUSE, PICTURE, FRAME = 0.15, 0.04, 0.005, 0.5, 0.1


@dataclass(frozen=True)
class Demo:
    """What one demo shows: everything is computed by `compute`, once a move, and drawn and put into words from its record.

    controls    : name of an argument of `compute` → slider with a text label
    compute     : slider values → record; it must not raise anywhere in the ranges of the sliders
    draw        : (axes, record) → None
    reading     : record → the current reading in words, for people who read and for people who listen
    question    : asked before the instrument is uncovered, about its first setting
    predictions : option → what to say about it, from the record of the first setting
    refine      : record of `compute` → better and better records, and None wherever the work may pause; a move ends it
    film        : each better record is shown for a moment, however soon the next one is there
    """

    title: str
    controls: dict[str, widgets.ValueWidget]
    compute: Callable[..., Any]
    draw: Callable[[Axes, Any], None]
    reading: Callable[[Any], str]
    question: str
    predictions: dict[str, Callable[[Any], str]]
    size: tuple[float, float] = (7.5, 3.4)  # inches
    refine: Callable[[Any], Iterator[Any]] | None = None
    film: bool = False

    def values(self) -> dict:
        """Return where the sliders stand."""
        return {name: control.value for name, control in self.controls.items()}

    def show(self) -> widgets.VBox:
        """Return the demo as a widget: the question first; once a prediction is chosen, its explanation and the instrument."""
        heading = widgets.HTML(paragraph(f"<b>{self.title}</b><br>Before you look: {self.question}"))
        options = [
            widgets.Button(description=text, tooltip=text, layout={"width": "auto"}) for text in self.predictions
        ]
        answer = widgets.HTML()
        covered = widgets.VBox()
        first = self.compute(**self.values())

        def reveal(chosen: widgets.Button) -> None:
            for option in options:
                option.disabled = True
            chosen.button_style = "info"
            explanation = self.predictions[chosen.description](first)
            answer.value = status(f"You predicted: {chosen.description}. {explanation}")
            covered.children = [self.instrument()]

        for option in options:
            option.on_click(reveal)
        return widgets.VBox([heading, widgets.HBox(options, layout={"flex_flow": "row wrap"}), answer, covered])

    def instrument(self) -> widgets.VBox:
        """Return sliders, picture and reading, without the question."""
        picture, reading = widgets.HTML(), widgets.HTML()
        labels = max(len(control.description) for control in self.controls.values())  # width of the longest one
        refinement = None

        def draw(record: Any) -> None:
            picture.value = self.image(self.picture(record))

        def say(text: str) -> None:
            reading.value = status(text)

        def update(_change=None) -> None:
            nonlocal refinement
            if refinement:
                refinement.cancel()
            record, picture.value, text = self.answer(self.values())
            say(text)
            if self.refine:
                refinement = in_background(self.improve(record, draw, say))

        for control in self.controls.values():
            # One width for all labels, so that the sliders stand in line; where less than 30em is left, a label has a line of its own.
            control.style.description_width = f"min(100%, max({labels}ch, (30em - 100%) * 999))"
            control.layout = {"width": f"min(100%, {labels}ch + 24em)", "flex_flow": "row wrap", "height": "auto"}
            control.tooltip = control.description  # else the label says "null" under the mouse
            control.observe(update, names="value")
        update()
        return widgets.VBox([*self.controls.values(), picture, reading])

    def answer(self, values: dict) -> tuple[Any, str, str]:
        """Return the record of a setting, its picture as HTML, and its reading."""
        collecting = gc.isenabled()
        gc.disable()  # a collection in the middle can take as long as everything else; it comes when the picture is out
        try:
            record = self.compute(**values)
            return record, self.image(self.picture(record)), self.reading(record)
        finally:
            if collecting:
                gc.enable()

    async def improve(self, record: Any, draw: Callable[[Any], None], say: Callable[[str], None]) -> None:
        """Draw better and better records in place of this one; only the last is put into words, to spare those who listen."""
        try:
            await asyncio.sleep(REST)
            began = drawn = perf_counter()
            for better in self.refine(record):
                record = record if better is None else better
                if perf_counter() - began > SLICE:
                    await asyncio.sleep(PAUSE)
                    began = perf_counter()
                if better is not None and self.film:
                    await asyncio.sleep(FRAME)
                if better is not None and (self.film or began - drawn > PICTURE):
                    draw(record)
                    drawn = perf_counter()
            await asyncio.sleep(PAUSE)
            draw(record)
            say(self.reading(record))
        except Exception as error:  # nobody awaits this, so it would be lost
            say(f"No finer answer: {type(error).__name__}: {error}")

    def picture(self, record: Any) -> bytes:
        """Draw the record and return the picture as PNG."""
        return png(self.size, lambda axes: self.draw(axes, record))

    def image(self, picture: bytes) -> str:
        """Return the picture as an HTML image with its alternative text; its size is fixed, so that nothing jumps between moves."""
        width, height = pixels(self.size)
        source = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
        alternative = f"{self.title}: a drawing of the setting that the text below puts into words"
        style = "display: block; max-width: 100%; height: auto"
        return f'<img alt="{alternative}" width="{width}" height="{height}" style="{style}" src="{source}">'


def in_background(work: Coroutine) -> asyncio.Task | None:
    """Start work beside what runs now, as in Jupyter; where no event loop runs, as in a script, leave it undone."""
    try:
        return asyncio.get_running_loop().create_task(work)
    except RuntimeError:
        work.close()
        return None


def slider(name: str, options, value) -> widgets.SelectionSlider:
    """Return a slider with a text label."""
    return widgets.SelectionSlider(description=name, options=options, value=value)


def paragraph(text: str, attributes: str = "") -> str:
    """Return text as an HTML paragraph with the line spacing of the notebook; a bare HTML widget spaces its lines like buttons."""
    return f'<p {attributes} style="line-height: 1.5; margin: 0.3em 0">{text}</p>'


def status(text: str) -> str:
    """Return text that screen readers are told of when it changes."""
    return paragraph(text, 'role="status" aria-live="polite"')
