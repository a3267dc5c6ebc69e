"""Seconds that a learner waits: for the set-up, for JupyterLab, for the page of all demos, for a kernel, for imports; and megabytes.

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

from largebatch import demos

COURSE = Path(__file__).resolve().parent.parent
sys.path.append(str(COURSE / "tests"))

from browser import NoBrowser, course_copy, jupyterlab, open_browser, voila  # noqa: E402

REPEATS = 5
MODULES = ("numpy", "matplotlib.pyplot", "ipywidgets", "largebatch.check", "largebatch.demos", "torch")
NUM_DEMOS = sum(getattr(value, "__module__", "") == "largebatch.demos" for value in vars(demos).values())
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


def demos_time(preheated: bool) -> float:
    """Return how long a browser takes to show all demos in Voilà; preheated: with a kernel that was started and had run before."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        open_browser() as browser,
        voila(COURSE, Path(folder), f"--pool_size={int(preheated)}") as server,
    ):
        while preheated and "is filled" not in server.log.read_text():
            time.sleep(0.1)
        page = browser.new_page()

        def visit() -> None:
            page.goto(server.url)
            page.locator(".jp-OutputArea").filter(has=page.get_by_role("button")).nth(NUM_DEMOS - 1).wait_for()

        return timed(visit)


def megabytes(folder: Path) -> float:
    """Return the size of all files in a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def set_up() -> tuple[dict[str, float], dict[str, float]]:
    """Return seconds and megabytes of a fresh environment, as `make lab` and then `make demos` make it; most is download and unpacking."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        venv = [sys.executable, "-m", "venv", folder]

        def install(*what: str) -> float:
            pip = [str(python), "-m", "pip", "install", *what]
            return timed(lambda: subprocess.run(pip, check=True, cwd=COURSE, capture_output=True))

        seconds = {
            "python -m venv": timed(lambda: subprocess.run(venv, check=True)),
            "pip install -r requirements.txt": install("-r", "requirements.txt"),
        }
        sizes = {"all": megabytes(Path(folder))}
        sizes["of these, PyTorch"] = sum(megabytes(path) for path in Path(folder).rglob("site-packages/torch"))
        seconds["pip install -e '.[demos]'"] = install("-e", ".[demos]")
        sizes["more, with Voilà"] = megabytes(Path(folder)) - sizes["all"]
        return seconds, sizes


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
        shows = [(demos_time(False), demos_time(True)) for _ in range(REPEATS)]  # in turn, so that load hits both alike
        for what, seconds in zip(("", ", kernel kept ready"), zip(*shows, strict=True), strict=True):
            print(f"| Voilà: page of all demos{what} | {median(seconds):.1f} | |")
    except NoBrowser as error:
        print(f"| JupyterLab: {error} | | |")
    times, sizes = set_up()
    for what, seconds in times.items():
        print(f"| set-up, once: {what} | {seconds:.0f} | |")
    print("\n| the environment | MB |")
    print("|---|---|")
    for what, size in sizes.items():
        print(f"| {what} | {size:.0f} |")


if __name__ == "__main__":
    main()
