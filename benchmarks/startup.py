"""Seconds that a learner waits: for the set-up, for JupyterLab, for a kernel, for imports.

usage: python benchmarks/startup.py
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from jupyter_client import KernelManager

COURSE = Path(__file__).resolve().parent.parent
sys.path.append(str(COURSE / "tests"))

from browser import NoBrowser, course_copy, jupyterlab, open_browser  # noqa: E402

REPEATS = 5
MODULES = ("numpy", "matplotlib.pyplot", "ipywidgets", "largebatch.check", "largebatch.demos", "torch")
LESSON = "work/00_start_here/00_start_here.ipynb"


def timed(action: Callable[[], object]) -> float:
    """Return the seconds that an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def import_times() -> dict[str, float]:
    """Return the median time of each import in a fresh process, the modules in turn so that load hits all alike."""
    script = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"
    times: dict[str, list[float]] = {module: [] for module in MODULES}
    for _ in range(REPEATS):
        for module, kept in times.items():
            run = subprocess.run(
                [sys.executable, "-c", script.format(module)], check=True, capture_output=True, text=True
            )
            kept.append(float(run.stdout))
    return {module: median(kept) for module, kept in times.items()}


def kernel_time() -> float:
    """Return the seconds from starting a kernel until it answers."""
    manager = KernelManager()

    def start() -> None:
        manager.start_kernel(stderr=subprocess.DEVNULL)  # it warns about unencrypted TCP each time
        client = manager.blocking_client()
        client.start_channels()
        client.wait_for_ready(timeout=60)
        client.stop_channels()

    try:
        return timed(start)
    finally:
        manager.shutdown_kernel(now=True)


def lab_times() -> dict[str, float]:
    """Return how long JupyterLab's server takes to answer, and a browser to show the first lesson: first visit, then again."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        open_browser() as browser,
        jupyterlab(course_copy(Path(folder), COURSE)) as lab,
    ):
        page = browser.new_page()

        def visit() -> None:
            page.goto(lab.page(LESSON))
            page.locator(".jp-Notebook .jp-Cell").first.wait_for()

        return {"server answers": lab.seconds, "first page": timed(visit), "page again": timed(visit)}


def set_up_times() -> dict[str, float]:
    """Return how long a fresh environment takes, as `make lab` makes it; most of it is download and unpacking."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        venv = [sys.executable, "-m", "venv", folder]
        install = [str(python), "-m", "pip", "install", "-r", "requirements.txt"]
        return {
            "python -m venv": timed(lambda: subprocess.run(venv, check=True)),
            "pip install -r requirements.txt": timed(
                lambda: subprocess.run(install, check=True, cwd=COURSE, capture_output=True)
            ),
        }


def main() -> None:
    print("| what the learner waits for | seconds | times numpy |")
    print("|---|---|---|")
    imports = import_times()
    for module, seconds in imports.items():
        print(f"| import {module} | {seconds:.2f} | {seconds / imports['numpy']:.1f} |")
    print(f"| kernel answers | {median(kernel_time() for _ in range(REPEATS)):.2f} | |")
    try:
        visits = [lab_times() for _ in range(REPEATS)]
        for what in visits[0]:
            print(f"| JupyterLab: {what} | {median(visit[what] for visit in visits):.1f} | |")
    except NoBrowser as error:
        print(f"| JupyterLab: {error} | | |")
    for what, seconds in set_up_times().items():
        print(f"| set-up, once: {what} | {seconds:.0f} | |")


if __name__ == "__main__":
    main()
