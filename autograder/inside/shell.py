"""IPython without a kernel: it runs a cell and keeps what the cell shows, up to a number of bytes, as a notebook would hold it."""

import base64
import io
import sys
import types
from collections.abc import Iterable
from contextlib import nullcontext
from itertools import islice

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

CUT = "\n… (cut here: a cell may show no more)\n"
KEPT = ("text/plain", "image/png")  # of what is displayed: markup would run in the browser of whoever reads it
BESIDE = 500  # bytes that an output takes beside what it shows: nobody reads thousands of them
MOST_ERROR = 20_000  # characters of the message of an error, and of its traceback


class Outputs(list):
    """The outputs of one cell in the notebook format; what comes after the limit is dropped."""

    def __init__(self, most_bytes: int):
        super().__init__()
        self.left = most_bytes

    def add(self, output: dict, size: int) -> None:
        """Keep an output, where there is room for it."""
        self.left -= size + BESIDE
        if self.left >= 0:
            self.append(output)

    def text(self, text: str) -> None:
        """Keep what was written; of a text that is too long, the beginning."""
        if self.left < 0 or not text:
            return
        if not (self and self[-1]["output_type"] == "stream"):
            self.left -= BESIDE
            self.append({"output_type": "stream", "name": "stdout", "text": []})  # pieces: joined once, not for each
        self[-1]["text"].append(text if len(text) <= self.left else text[: max(self.left, 0)] + CUT)
        self.left -= len(text)

    def data(self, kind: str, data: dict, **more) -> None:
        """Keep what was displayed."""
        data = {key: encoded(data[key]) for key in KEPT if key in data}
        self.add({"output_type": kind, "data": data, "metadata": {}, **more}, sum(map(len, data.values())))


def encoded(value) -> str:
    """Return what was displayed as a notebook holds it."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


class Stream(io.TextIOBase):
    """Standard output and standard error alike: nbgrader takes all points from a check that writes to stderr, even a mere warning."""

    encoding = "utf-8"

    def __init__(self, shell: "Shell"):
        self.shell = shell

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.shell.outputs.text(text)
        return len(text)

    def fileno(self) -> int:
        return 1


class Display(DisplayPublisher):
    """What display() calls."""

    def publish(self, data, metadata=None, *, transient=None, update=False, **_more):
        self.shell.outputs.data("display_data", data)

    def clear_output(self, wait=False):
        self.shell.outputs.clear()


class Result(DisplayHook):
    """What shows the value of the last expression of a cell."""

    def start_displayhook(self):
        pass

    def write_output_prompt(self):
        pass

    def write_format_data(self, format_dict, md_dict=None):
        self.shell.outputs.data("execute_result", format_dict, execution_count=self.shell.execution_count)

    def finish_displayhook(self):
        pass


class Shell(InteractiveShell):
    """An IPython shell that keeps outputs in a list."""

    displayhook_class = Result
    display_pub_class = Display
    outputs = Outputs(0)

    def _showtraceback(self, etype, evalue, stb):
        self.outputs.append(error_output(*described(evalue), stb))

    def _tee(self, channel):
        return nullcontext()  # IPython would keep all that is written, without a limit

    def ask_exit(self):
        raise SystemExit("exit() ends the cell")

    def enable_gui(self, gui=None):
        pass


def described(error: BaseException) -> tuple[str, str]:
    """Return the name and the message of an error, which may be of a class of the submission's own and do anything when it is asked."""
    try:
        return cut(type(error).__name__, 200), cut(str(error), MOST_ERROR)
    except BaseException:
        return "Error", "an error that cannot be shown"


def error_output(name: str, message: str, traceback: Iterable[str] | None = None) -> dict:
    """Return the output of a cell that was ended by an error."""
    lines = cut("\n".join(islice(traceback or [f"{name}: {message}"], MOST_ERROR)), MOST_ERROR)
    return {"output_type": "error", "ename": name, "evalue": message, "traceback": lines.split("\n")}


def cut(text: str, most: int) -> str:
    """Return the beginning of a text, as an ordinary one where it is of a class of the submission's own."""
    return str.__getitem__(text, slice(most))


def make_shell() -> Shell:
    """Return a shell whose cells run in a fresh module `__main__`, with its output kept and standard input empty."""
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "linux"
    config.InteractiveShell.enable_html_pager = True
    shell = Shell.instance(user_module=main, user_ns=main.__dict__, config=config)
    sys.stdout = sys.stderr = Stream(shell)
    return shell
