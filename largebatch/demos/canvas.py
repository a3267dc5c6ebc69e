"""Draw a figure as matplotlib's savefig does, in less than half of the time, so that the picture of a demo follows the hand.

Most of the time of a small figure goes into words and ticks. So a text is drawn once and then stamped, ticks are plain texts and marks
(matplotlib makes five artists of each), titles stay where the style puts them, and the pixels become PNG without filters.
"""

import struct
import zlib
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from math import ceil
from pathlib import Path

import numpy as np
from matplotlib import rc_context, rc_params_from_file, rcParams
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import TICKDOWN, TICKLEFT, Line2D
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

STYLE = rc_params_from_file(Path(__file__).parents[1] / "course.mplstyle", use_default_template=False)
STYLE["axes.titley"] = 1.0  # else matplotlib looks each time whether ticks are in the way of the title
# Shares of the figure. Fixed, because a layout engine would cost as much time as the drawing.
MARGINS = dict(left=0.1, right=0.98, bottom=0.17, top=0.91)
DPI = 100
EDGE = 9  # pixels around a stamp, for ink beyond the measures of its text


def png(size: tuple[float, float], draw: Callable[[Axes], None]) -> bytes:
    """Return a new figure of this size (inches) as PNG, once `draw` has drawn on its axes."""
    with rc_context(STYLE):
        figure = Figure(figsize=size, dpi=DPI)
        figure.subplots_adjust(**MARGINS)
        draw(figure.add_subplot())
        sheet = blank(*pixels(size))
        for axes in figure.axes:
            for axis in (axes.xaxis, axes.yaxis):
                plain_ticks(axis, sheet)
        figure.draw(sheet)
    return encoded(np.asarray(sheet.buffer_rgba())[..., :3])


def pixels(size: tuple[float, float]) -> tuple[int, int]:
    """Return width and height in pixels of a figure in inches."""
    width, height = (round(inches * DPI) for inches in size)
    return width, height


# -- words -----------------------------------------------------------------------------------------------------------------------


class Sheet(RendererAgg):
    """A renderer that draws a text once and then stamps it, at whole pixels, so that texts which move need no new stamps."""

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None) -> None:
        """Draw a text, its origin at (x, y) in pixels from the upper left corner; angle in degrees."""
        if angle not in (0, 90):
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
            return
        image, left, below = stamp(s, prop.copy(), angle, ismath, gc.get_rgb())
        self.draw_image(gc, round(x) - left, self.height - round(y) - below, image)


@lru_cache(maxsize=4096)  # of a few kilobytes
def stamp(text: str, font: FontProperties, angle: float, ismath, colour: tuple) -> tuple[np.ndarray, int, int]:
    """Return a text at an angle of 0 or 90 degrees as RGBA image, lowest row first, and the pixels left of its origin and below it."""
    measures = RendererAgg(1, 1, DPI).get_text_width_height_descent(text, font, ismath)
    width, height, descent = (ceil(part) + EDGE for part in measures)
    left, below = EDGE // 2, descent
    if angle:
        width, height, left, below = height, width, height - descent, left
    page = RendererAgg(width, height, DPI)
    ink = page.new_gc()
    ink.set_foreground(colour, isRGBA=True)
    page.draw_text(ink, left, height - below, text, font, angle, ismath)
    return np.asarray(page.buffer_rgba())[::-1].copy(), left, below


@cache
def kept_sheet(width: int, height: int) -> Sheet:
    """Return the sheet for all figures with so many pixels; it remembers the measures of texts."""
    return Sheet(width, height, DPI)


def blank(width: int, height: int) -> Sheet:
    """Return an empty sheet, which the next call with the same pixels empties again."""
    sheet = kept_sheet(width, height)
    sheet.clear()
    return sheet


# -- ticks -----------------------------------------------------------------------------------------------------------------------


def set_ticks(axis: Axis, places: Sequence[float], labels: Sequence) -> None:
    """Put ticks with labels at these places, as axis.set_ticks would; but that makes all their artists at once."""
    axis.set_major_locator(FixedLocator(places))
    axis.set_major_formatter(FixedFormatter([str(label) for label in labels]))


def plain_ticks(axis: Axis, sheet: Sheet) -> None:
    """Replace the ticks of an axis at the bottom or at the left by texts and marks that look the same."""
    depths = [plain_ticks_of(axis, which, sheet) for which in ("major", "minor")]
    axis.set_major_locator(NullLocator())
    axis.set_minor_locator(NullLocator())
    axis.labelpad += max(depths)


def plain_ticks_of(axis: Axis, which: str, sheet: Sheet) -> float:
    """Draw the major or the minor ticks of an axis; return how far their labels reach from the axes, in points."""
    axes, ticker, name = axis.axes, getattr(axis, which), f"{axis.axis_name}tick"
    chosen, usual = axis.get_tick_params(which), f"{name}.{which}"
    places = np.asarray(ticker.locator())
    low, high = sorted(axis.get_view_interval())
    rounding = 1e-10 * (high - low)
    labels = ticker.formatter.format_ticks(places)
    seen = [(at, label) for at, label in zip(places, labels, strict=True) if low - rounding <= at <= high + rounding]

    length = chosen.get("length", rcParams[f"{usual}.size"])
    pad = length + rcParams[f"{usual}.pad"]
    if axis is axes.xaxis:
        marker, along = TICKDOWN, axes.get_xaxis_transform("tick1")
        transform, va, ha = axes.get_xaxis_text1_transform(pad)
    else:
        marker, along = TICKLEFT, axes.get_yaxis_transform("tick1")
        transform, va, ha = axes.get_yaxis_text1_transform(pad)
    points = [(at, 0) if axis is axes.xaxis else (0, at) for at, _ in seen]
    marks = {"marker": marker, "ms": length, "mew": rcParams[f"{usual}.width"], "color": rcParams[f"{name}.color"]}
    if points:
        axes.add_artist(Line2D(*zip(*points, strict=True), ls="none", clip_on=False, transform=along, **marks))
    look = {"va": va, "ha": ha, "fontsize": chosen.get("labelsize", rcParams[f"{name}.labelsize"])}
    texts = [
        axes.text(*point, label, transform=transform, **look)
        for point, (_, label) in zip(points, seen, strict=True)
        if label
    ]
    boxes = [text.get_window_extent(sheet) for text in texts]
    reach = [axes.bbox.y0 - box.y0 if axis is axes.xaxis else axes.bbox.x0 - box.x0 for box in boxes]
    return max(reach, default=0) * 72 / DPI


# -- pixels ----------------------------------------------------------------------------------------------------------------------


def encoded(picture: np.ndarray) -> bytes:
    """Return RGB pixels, shape (height, width, 3), as PNG without filters; Pillow would try five of them on every row."""
    height, width, _ = picture.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # a row begins with the number of its filter, 0
    rows[:, 1:] = picture.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits for each of three colours
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(rows, level=1)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
