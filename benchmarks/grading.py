"""How fast a class is graded: stock nbgrader, this course's autograder and otter-grader, side by side; and whether a large class stays as fast.

Every round grades the same generated class in all ways in turn, each from a fresh copy of the course, and a ratio compares two ways in one
round, so that other load on the machine hits both alike.

stock          nbgrader autograde with its own settings; only the paths are the course's. It gives 0 points to a check that wrote to stderr
stock, tuned   the same with nbgrader_config.py, executed in nbgrader's own way
ours           python -m autograder.grade
otter-grader   its own runner, one notebook after another without containers; the same answers and checks, the checks as its test files.
               Installed for this comparison only, in an environment of its own that sees the course's packages
floor          the learners' cells and their checks alone, in forks of a process that has run the lesson before: nothing is started,
               sanitised, drawn, recorded or protected

usage: python benchmarks/grading.py [--long]     (hours: larger classes and more rounds; it needs Linux)
"""

import os

ENVIRONMENT = dict(os.environ)  # of the ways that are measured
os.environ.update(OMP_NUM_THREADS="1", MPLBACKEND="agg")  # for the floor; read when PyTorch and matplotlib are imported

import argparse  # noqa: E402
import json  # noqa: E402
import math  # noqa: E402
import re  # noqa: E402
import shutil  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
import venv  # noqa: E402
from collections import defaultdict  # noqa: E402
from collections.abc import Callable, Iterable, Iterator  # noqa: E402
from contextlib import contextmanager, suppress  # noqa: E402
from dataclasses import dataclass  # noqa: E402
from functools import partial  # noqa: E402
from itertools import islice  # noqa: E402
from pathlib import Path  # noqa: E402
from statistics import median  # noqa: E402

import matplotlib.pyplot as plt  # noqa: E402
import nbformat  # noqa: E402
import torch  # noqa: E402, F401 (answers to all lessons may import it: here it is warm)
from nbgrader.api import Gradebook  # noqa: E402
from tqdm import tqdm  # noqa: E402
from traitlets.config import PyFileConfigLoader  # noqa: E402

COURSE = Path(__file__).resolve().parent.parent
sys.path.append(str(COURSE / "tests"))

from bank import exercises  # noqa: E402
from classroom import classroom, hand_in  # noqa: E402
from judging import LESSON_SECONDS, in_a_fork, run  # noqa: E402
from submissions import named, read  # noqa: E402

from autograder.trial import TrialCourse  # noqa: E402

NUMPY, TORCH = "01_global_batch", "02_gradient_accumulation"
STOPS_STOCK = "copied_checks", "deleted_checks"  # kinds that stock does not grade: it stops, or leaves it to a person
SHORT = {"students": 12, "rounds": 2, "classes": (10, 30, 60)}
LONG = {"students": 40, "rounds": 5, "classes": (50, 200, 500)}
GOALS = {  # times as fast as stock, and share of the floor
    ("speedup2", NUMPY): 4,
    ("speedup2", TORCH): 4.5,
    ("speedup1", NUMPY): 2,
    ("speedup1", TORCH): 2.5,
    ("of_floor", TORCH): 0.6,
}

STOCK, TUNED, OTTER, FLOOR = "stock", "stock, tuned", "otter-grader", "floor, two cores"
ONE, TWO = "ours, 1 worker", "ours, 2 workers"
ONE_OPEN, TWO_OPEN = "ours, 1 worker, no sandbox", "ours, 2 workers, no sandbox"

Points = dict[str, dict[str, float]]  # by student and check


@dataclass(frozen=True)
class Graded:
    """What grading a class took, and what it came to; seconds of the wall clock and of all processors."""

    seconds: float
    cpu_seconds: float
    points: Points


# -- the class -----------------------------------------------------------------------------------------------------------------------


@contextmanager
def course_with_class(lesson: str, size: int) -> Iterator[Path]:
    """Yield the folder of a course to which this many students have handed in a lesson."""
    gradable = (one for one in classroom([lesson], 2 * size) if one.kind not in STOPS_STOCK)
    with TrialCourse(lesson) as course:
        hand_in(course.root, islice(gradable, size))
        yield course.root


def notebooks(course: Path) -> list[Path]:
    """Return what was handed in."""
    return sorted((course / "autograder" / "submitted").glob("*/*/*.ipynb"))


def checks(lesson: str) -> dict[str, nbformat.NotebookNode]:
    """Return the cells that check the answers of a lesson, with their hidden parts, by name."""
    cells = named(read("solutions", lesson))
    return {name: cells[name] for names in exercises(lesson).values() for name in names}


# -- the ways: each prepares a course and returns the command that is measured there -------------------------------------------------


def tuned(course: Path, lesson: str) -> list[str]:
    return [sys.executable, "-W", "ignore", "-m", "nbgrader", "autograde", lesson]


def stock(course: Path, lesson: str) -> list[str]:
    """Keep no setting but the paths."""
    config = PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()
    (course / "nbgrader_config.json").write_text(json.dumps({"CourseDirectory": config.CourseDirectory}))
    (course / "nbgrader_config.py").unlink()
    return tuned(course, lesson)


def ours(workers: int, *options: str) -> Callable[[Path, str], list[str]]:
    command = [sys.executable, "-m", "autograder.grade", "--workers", str(workers), *options]
    return lambda course, lesson: [*command, lesson]


OTTER_TEST = """
from otter.test_files import test_case
OK_FORMAT = False
name = {name!r}
points = {points!r}

@test_case()
def check(env):
    exec({source!r}, env)
"""
OTTER_LOOP = """
import json
from pathlib import Path
from otter.execute import grade_notebook

points = {}
for path in sorted(Path("otter").glob("*.ipynb")):
    found = grade_notebook(str(path), test_dir="tests").results
    points[path.stem] = {name: result.score for name, result in found.items()}
Path("points.json").write_text(json.dumps(points))
"""


def otter(python: Path, course: Path, lesson: str) -> list[str]:
    """Write the checks as test files, and the notebooks so that they call them at the same places."""
    for folder in ("tests", "otter"):
        (course / folder).mkdir()
    for name, cell in checks(lesson).items():
        test = OTTER_TEST.format(name=name, points=cell.metadata.nbgrader.points, source=cell.source)
        (course / "tests" / f"{name}.py").write_text(test)
    for path in notebooks(course):
        notebook = nbformat.read(path, as_version=4)
        for name, cell in named(notebook).items():
            if name in checks(lesson):
                cell.update(source="", metadata=nbformat.from_dict({"otter": {"tests": [name]}}))
        nbformat.write(notebook, course / "otter" / f"{path.parts[-3]}.ipynb")
    return [str(python), "-c", OTTER_LOOP]


def otter_environment(folder: Path) -> Path:
    """Install otter-grader beside the course's packages and return its Python."""
    venv.create(folder, with_pip=True)
    (packages,) = folder.glob("lib/*/site-packages")
    (packages / "course.pth").write_text(f"{COURSE}\n{Path(nbformat.__file__).parent.parent}\n")
    install = [folder / "bin" / "python", "-m", "pip", "install", "-q", "otter-grader==7.0.0"]
    subprocess.run(install, check=True, capture_output=True)
    return folder / "bin" / "python"


# -- measuring -----------------------------------------------------------------------------------------------------------------------


@contextmanager
def control_group() -> Iterator[Path | None]:
    """Yield a new control group; None where the system has none, or this user may not make one."""
    try:
        (mounted,) = re.findall(r"^\S+ (\S+) cgroup2 ", Path("/proc/self/mounts").read_text(), re.M)
        (own,) = re.findall(r"^0::/(.*)$", Path("/proc/self/cgroup").read_text(), re.M)
        group = Path(mounted, own, f"grading-{os.getpid()}")
        group.mkdir()
    except (OSError, ValueError):
        yield None
        return
    try:
        yield group
    finally:
        with suppress(OSError):  # after Ctrl-C something may still run in it
            group.rmdir()


def cpu_seconds(group: Path | None) -> float:
    """Return the seconds of all processors of all that ran in a control group, also of processes that nobody waits for; wait for their end."""
    if not group:
        return math.nan
    while (group / "cgroup.procs").read_text():
        time.sleep(0.1)
    return int(re.findall(r"^usage_usec (\d+)$", (group / "cpu.stat").read_text(), re.M)[0]) / 1e6


def timed(command: list[str], course: Path) -> tuple[float, float]:
    """Run a command in a course; return its seconds, and those of all processors."""
    paths = os.pathsep.join([str(Path(command[0]).parent), ENVIRONMENT["PATH"]])  # nbgrader starts alembic by name
    environment = {**ENVIRONMENT, "PATH": paths, "PYTHONPATH": str(COURSE)}
    log = course / "output.txt"
    with control_group() as group, log.open("w") as output:  # no pipe: a process left behind would keep it open

        def join() -> None:
            if group:
                (group / "cgroup.procs").write_text(str(os.getpid()))

        start = time.perf_counter()
        status = subprocess.run(
            command, cwd=course, env=environment, stdout=output, stderr=output, preexec_fn=join
        ).returncode
        seconds = time.perf_counter() - start
        spent = cpu_seconds(group)
    if status:
        raise RuntimeError(f"{' '.join(command)} ended with {status}:\n{log.read_text()[-3000:]}")
    return seconds, spent


def points(course: Path, lesson: str) -> Points:
    """Return what every check gave to every student: from otter's file, if there is one, else from the gradebook."""
    if (found := course / "points.json").exists():
        return json.loads(found.read_text())
    with Gradebook(f"sqlite:///{course}/autograder/gradebook.db") as gradebook:
        return {
            submission.student.id: {grade.name: grade.score for grade in submission.notebooks[0].grades}
            for submission in gradebook.assignment_submissions(lesson)
        }


def grade(way: Callable[[Path, str], list[str]], template: Path, lesson: str) -> Graded:
    """Grade the class of a course in a copy of it."""
    with tempfile.TemporaryDirectory() as folder:
        course = Path(shutil.copytree(template, Path(folder) / "course"))
        seconds, cpu_seconds = timed(way(course, lesson), course)
        return Graded(seconds, cpu_seconds, points(course, lesson))


def floor(template: Path, lesson: str) -> Graded:
    """Return what the cells of all notebooks take with all their checks, if two cores do nothing else."""

    def all_notebooks() -> float:
        code_seconds(read("solutions", lesson), {})
        plt.close("all")
        handed_in = [nbformat.read(path, as_version=4) for path in notebooks(template)]
        return sum(in_a_fork(partial(code_seconds, one, checks(lesson)), LESSON_SECONDS, lesson) for one in handed_in)

    seconds = in_a_fork(all_notebooks, LESSON_SECONDS * len(notebooks(template)), lesson)
    return Graded(seconds / 2, seconds, {})


def code_seconds(notebook: nbformat.NotebookNode, with_checks: dict[str, nbformat.NotebookNode]) -> float:
    """Run the cells of a notebook in this process, and return the seconds of the processor."""
    for name, cell in named(notebook).items():
        cell.source = with_checks.get(name, cell).source
    names, start = {"__name__": "__main__"}, time.process_time()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            run(cell.source, names)
    return time.process_time() - start


# -- the tables ----------------------------------------------------------------------------------------------------------------------


def rounds(lesson: str, students: int, num_rounds: int, python: Path | None) -> dict[str, list[Graded]]:
    """Grade a class in all ways in turn, round after round; without otter-grader where there is no Python for it."""
    ways = {
        STOCK: partial(grade, stock),
        TUNED: partial(grade, tuned),
        ONE_OPEN: partial(grade, ours(1, "--no-sandbox")),
        TWO_OPEN: partial(grade, ours(2, "--no-sandbox")),
        ONE: partial(grade, ours(1)),
        TWO: partial(grade, ours(2)),
        **({OTTER: partial(grade, partial(otter, python))} if python else {}),
        FLOOR: floor,
    }
    measured = defaultdict(list)
    with course_with_class(lesson, students) as template:
        for number in range(num_rounds):
            for name, way in progress(ways.items(), f"{lesson}, round {number + 1} of {num_rounds}"):
                measured[name].append(way(template, lesson))
    return measured


def progress(work: Iterable, what: str) -> tqdm:
    return tqdm(list(work), desc=what, disable=not sys.stderr.isatty(), leave=False)


def ratios(measured: dict[str, list[Graded]], slow: str, fast: str) -> list[float]:
    """Return, round by round, how many times as fast one way is as another."""
    return [one.seconds / other.seconds for one, other in zip(measured[slow], measured[fast], strict=True)]


def spread(values: list[float]) -> str:
    return f"{median(values):.3g} ({min(values):.3g} to {max(values):.3g})"


def same_points(found: list[Graded], expected: list[Graded]) -> str:
    """Say how many notebooks got the same points for every check; of the floor there are none."""
    pairs = [
        (one.points[student], other.points[student])
        for one, other in zip(found, expected, strict=True)
        for student in one.points
    ]
    return f"{sum(one == other for one, other in pairs)} of {len(pairs)}" if pairs else ""


def print_table(lesson: str, students: int, measured: dict[str, list[Graded]]) -> None:
    print(
        f"\n| {lesson}, {students} notebooks | a minute | times stock: median (range) | CPU seconds each | points as stock, tuned |"
    )
    print("|---|---|---|---|---|")
    for name, found in measured.items():
        a_minute = 60 * students / median(one.seconds for one in found)
        cpu_seconds = median(one.cpu_seconds for one in found) / students
        faster, same = spread(ratios(measured, STOCK, name)), same_points(found, measured[TUNED])
        print(f"| {name} | {a_minute:.3g} | {faster} | {cpu_seconds:.3g} | {same} |", flush=True)


def print_growth(lesson: str, sizes: tuple[int, ...]) -> float:
    """Grade classes of several sizes; return how many times as long one more notebook takes at the end as at the beginning."""
    print(f"\n| {lesson}, {TWO}: notebooks | seconds | seconds each | seconds for each one more |")
    print("|---|---|---|---|")
    seconds, one_more = [], []
    for number, size in enumerate(sizes):
        with course_with_class(lesson, size) as template:
            seconds.append(grade(ours(2), template, lesson).seconds)
        if number:
            one_more.append((seconds[-1] - seconds[-2]) / (size - sizes[number - 1]))
        more = f"{one_more[-1]:.3f}" if number else ""
        print(f"| {size} | {seconds[-1]:.1f} | {seconds[-1] / size:.3f} | {more} |", flush=True)
    return one_more[-1] / one_more[0]


def print_goals(reached: dict[tuple[str, str], list[float]]) -> None:
    print("\n| goal | at least | measured | met |")
    print("|---|---|---|---|")
    for key, goal in GOALS.items():
        met = "yes" if median(reached[key]) >= goal else "NO"
        print(f"| {', '.join(key)} | {goal} | {spread(reached[key])} | {met} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--long", action="store_true", help="larger classes and more rounds: hours")
    size = LONG if parser.parse_args().long else SHORT
    reached = {}
    with tempfile.TemporaryDirectory() as folder:
        try:
            python = otter_environment(Path(folder))
        except subprocess.CalledProcessError as error:
            print(f"otter-grader could not be installed, so it is left out:\n{error.stderr.decode()[-500:]}")
            python = None
        for lesson in (NUMPY, TORCH):
            measured = rounds(lesson, size["students"], size["rounds"], python)
            print_table(lesson, size["students"], measured)
            reached["speedup2", lesson] = ratios(measured, STOCK, TWO)
            reached["speedup1", lesson] = ratios(measured, STOCK, ONE)
            reached["of_floor", lesson] = ratios(measured, FLOOR, TWO)
    growth = print_growth(NUMPY, size["classes"])
    print_goals(reached)
    lowest = {
        name: min(median(reached[name, lesson]) for lesson in (NUMPY, TORCH)) for name in ("speedup2", "speedup1")
    }
    of_floor = median(reached["of_floor", TORCH])
    print(
        f"\nRESULT speedup2={lowest['speedup2']:.3g} speedup1={lowest['speedup1']:.3g} of_floor={of_floor:.2g} growth={growth:.2g}"
    )


if __name__ == "__main__":
    main()
