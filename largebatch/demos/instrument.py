"""One helper for every demo of the course: sliders, a picture, a reading in words, and a prediction to make before anything is shown.

The picture is a single matplotlib figure that is cleared and drawn again into an image widget: about 2.5 times quicker than a new
inline figure for each move (benchmarks/demos.py). Nothing is kept between moves, so a demo shows the same for the same sliders.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import ipywidgets as widgets
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS = {  # Okabe and Ito's palette: told apart by colour-blind readers, and in grey by lightness
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "red": "#D55E00",
    "purple": "#CC79A7",
    "sky": "#56B4E9",
    "grey": "#7F7F7F",
}
STYLE = {"font.size": 11, "axes.spines.top": False, "axes.spines.right": False}
MARGINS = {
    "left": 0.1,
    "right": 0.98,
    "bottom": 0.17,
    "top": 0.91,
}  # fixed: a layout engine would cost as much as the drawing
DPI = 100


@dataclass(frozen=True)
class Demo:
    """What one demo shows: everything is computed by `compute`, once a move, and drawn and put into words from its record.

    controls    : name of an argument of `compute` → slider with a text label
    compute     : slider values → record; it must not raise anywhere in the ranges of the sliders
    draw        : (axes, record) → None
    reading     : record → the current reading in words, for people who read and for people who listen
    question    : asked before the instrument is uncovered, about its first setting
    predictions : option → what to say about it, from the record of the first setting
    """

    title: str
    controls: dict[str, widgets.ValueWidget]
    compute: Callable[..., Any]
    draw: Callable[[Axes, Any], None]
    reading: Callable[[Any], str]
    question: str
    predictions: dict[str, Callable[[Any], str]]
    size: tuple[float, float] = field(default=(7.5, 3.4))  # inches

    def values(self) -> dict:
        """Return where the sliders stand."""
        return {name: control.value for name, control in self.controls.items()}

    def show(self) -> widgets.VBox:
        """Return the demo as a widget: the question first; once a prediction is chosen, its explanation and the instrument."""
        heading = widgets.HTML(f"<b>{self.title}</b><br>Before you look: {self.question}")
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
            answer.value = f'<div role="status">You predicted: {chosen.description}. {explanation}</div>'
            covered.children = [self.instrument()]

        for option in options:
            option.on_click(reveal)
        return widgets.VBox([heading, widgets.HBox(options, layout={"flex_flow": "row wrap"}), answer, covered])

    def instrument(self) -> widgets.VBox:
        """Return sliders, picture and reading, without the question."""
        figure = Figure(figsize=self.size, dpi=DPI)
        picture = widgets.Image(format="png", layout={"width": f"{self.size[0] * DPI:.0f}px", "max_width": "100%"})
        reading = widgets.HTML()

        def update(_change=None) -> None:
            record = self.compute(**self.values())
            picture.value = self.picture(figure, record)
            text = self.reading(record)
            reading.value = f'<div role="status" aria-live="polite">{text}</div>'

        for control in self.controls.values():
            control.style.description_width = "initial"
            control.layout.width = "min(100%, 34em)"
            control.observe(update, names="value")
        update()
        return widgets.VBox([*self.controls.values(), picture, reading])

    def picture(self, figure: Figure, record: Any) -> bytes:
        """Draw the record on the figure, whatever was on it before, and return it as PNG."""
        with rc_context(STYLE):
            figure.clear()
            figure.subplots_adjust(**MARGINS)
            self.draw(figure.add_subplot(), record)
            buffer = io.BytesIO()
            figure.savefig(buffer, format="png", pil_kwargs={"compress_level": 1})
        return buffer.getvalue()
