"""Grade a class: run what was handed in, several at a time and shut in, and record the scores in nbgrader's gradebook.

Reads autograder/submitted/<student>/<lesson>/; writes autograder/autograded/ and the gradebook as `nbgrader autograde` does, and the misconception
report. What is graded already and has not changed since is left alone, so a run that was interrupted goes on where it stopped.
"""

import argparse
import ast
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from nbformat import NotebookNode, from_dict
from nbgrader.utils import is_grade, is_solution
from tqdm import tqdm

from autograder import executor, intake
from autograder.course import Course, NoCourse
from autograder.executor import Executed, Fault, Job, Limits
from autograder.inside.shell import error_output
from autograder.preprocessors import HIDDEN
from autograder.sandbox import NoSandbox

PROTECTED = """Shut in: a submission sees Python, the course's package and its own files. It cannot reach your files, other submissions, the gradebook or the
network; its time, memory, processes and output are limited. Not protected: an answer and its checks share one Python, so somebody who sets out
to can still forge points; tripwires catch the plain ways and leave those scores to you."""
OPEN = """NO SANDBOX: every submission runs with your rights. It can read and change your files, the gradebook and other submissions, and use the
network. Do this only with work that you would run yourself."""


# -- what is known already -------------------------------------------------------------------------------------------------------


class Records:
    """What was graded, one line of JSON each: student, hashes of submission and release, what went wrong, seconds of each cell."""

    def __init__(self, course: Course):
        self.path = course.root / "autograder" / "records" / f"{course.lesson}.jsonl"
        self.path.parent.mkdir(exist_ok=True)
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        self.last = {record["student"]: record for record in filter(None, map(parsed, lines))}

    def add(self, record: dict) -> None:
        """Append a record; what comes before it is never touched."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self.last[record["student"]] = record


def parsed(line: str) -> dict | None:
    """Return a record; None for a line that was cut off when the power was."""
    try:
        return json.loads(line)
    except ValueError:
        return None


def is_graded(submission: intake.Submission, course: Course, records: Records, in_gradebook: set[str]) -> bool:
    """Tell whether a submission, as it is now, was graded with the release, as it is now."""
    last = records.last.get(submission.student, {})
    same = (last.get("submission"), last.get("release")) == (submission.sha256, course.version)
    return same and submission.student in in_gradebook and course.graded(submission.student).exists()


# -- one submission --------------------------------------------------------------------------------------------------------------


def modules(notebook: NotebookNode) -> tuple[str, ...]:
    """Return the names of what a lesson imports, for the warm process; names of functions among them do no harm."""
    found: dict[str, None] = {}
    for cell in notebook.cells:
        for node in ast.walk(tree(cell.source)) if cell.cell_type == "code" else ():
            if isinstance(node, ast.Import):
                found |= {alias.name: None for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module: None} | {f"{node.module}.{alias.name}": None for alias in node.names}
    return tuple(found)


def tree(source: str) -> ast.Module:
    """Return the syntax tree of a cell; an empty one where it does not parse, such as a line for the shell."""
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.Module([], [])


def cells_to_run(notebook: NotebookNode) -> list[dict]:
    """Return what a Job says of the cells with code."""
    return [
        {
            "index": index,
            "source": cell.source,
            "check": bool(is_grade(cell) and not is_solution(cell)),
            "hidden": bool(HIDDEN.search(cell.source)),
        }
        for index, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and cell.source.strip()
    ]


def fill(notebook: NotebookNode, done: Executed) -> None:
    """Put the outputs into a notebook. A check without an output has all its points for nbgrader: one that did not run gets an error."""
    for count, cell in enumerate(cells_to_run(notebook), start=1):
        outputs = done.outputs.get(cell["index"])
        if outputs is None:
            outputs = [error_output("NotRun", f"this cell did not run: {done.reason}")]
        target = notebook.cells[cell["index"]]
        target.outputs, target.execution_count = from_dict(outputs), count
        for output in target.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count


def notice(done: Executed) -> str:
    """Return what to say on top of a graded notebook; empty where all went well."""
    said = []
    if done.reason:
        said.append(f"not all of it could be run: {done.reason}. The checks after that have no points.")
    if done.tampered:
        said.append(f"its points wait for a person to look at it: {'; '.join(done.tampered)}.")
    return " ".join(said)


def seconds_by_name(notebook: NotebookNode, done: Executed) -> dict[str, float]:
    """Return the seconds of the processor that each named cell took."""
    named = {index: cell.metadata.get("nbgrader", {}).get("grade_id") for index, cell in enumerate(notebook.cells)}
    return {named[index]: round(spent, 3) for index, spent in done.seconds.items() if named[index]}


# -- a class ---------------------------------------------------------------------------------------------------------------------


class Session:
    """One run of the command: what there is to grade, and what came of it."""

    def __init__(self, course: Course, limits: Limits, enclosed: bool):
        self.course, self.limits, self.enclosed = course, limits, enclosed
        self.records = Records(course)
        submitted, self.refused = intake.submissions(course.folder("submitted"), course.lesson)
        with course.api.gradebook as gradebook:
            known = {entry.student_id for entry in gradebook.assignment_submissions(course.lesson)}
        self.todo = [each for each in submitted if not is_graded(each, course, self.records, known)]
        self.before = len(submitted) - len(self.todo)
        self.done: list[dict] = []

    def jobs(self) -> Iterator[tuple[tuple, Job]]:
        """Make the submissions ready one after the other, each with its job."""
        self.preload = modules(self.course.unanswered())
        for submission in self.todo:
            notebook = self.course.sanitised(submission.notebook, submission.student)
            files = intake.supplements(submission.folder)
            yield (submission, notebook, files), self.job(cells_to_run(notebook), files)

    def job(self, cells: list[dict], files: dict[str, bytes]) -> Job:
        """Return the job for some cells."""
        return Job(
            cells, {name: content.hex() for name, content in files.items()}, self.preload, self.limits, self.enclosed
        )

    def record(
        self, submission: intake.Submission, notebook: NotebookNode, files: dict[str, bytes], done: Executed
    ) -> None:
        """Record what came of a submission: in the gradebook and the folder first, so that a record always has its score."""
        fill(notebook, done)
        self.course.record(submission.student, notebook, files, notice(done), withhold=bool(done.tampered))
        record = {
            "student": submission.student,
            "submission": submission.sha256,
            "release": self.course.version,
            "reason": done.reason,
            "tampered": done.tampered,
            "seconds": seconds_by_name(notebook, done),
        }
        self.records.add(record)
        self.done.append(record)


def run_all(
    jobs: Iterator[tuple[tuple, Job]], pool: Executor, execute: Callable, ahead: int
) -> Iterator[tuple[tuple, Executed]]:
    """Run jobs in a pool and yield what came of each as it is done; a few are made ready ahead, so a class of any size fits in memory."""
    running: dict[Future, tuple] = {}
    for item, job in jobs:
        running[pool.submit(execute, job)] = item
        if len(running) >= ahead:
            yield from finished(running)
    while running:
        yield from finished(running)


def finished(running: dict[Future, tuple]) -> Iterator[tuple[tuple, Executed]]:
    """Wait until some jobs are done and yield them."""
    for future in wait(running, return_when=FIRST_COMPLETED).done:
        yield running.pop(future), future.result()


# -- the command -----------------------------------------------------------------------------------------------------------------


@contextmanager
def local_pool(workers: int) -> Iterator[Executor]:
    """Threads of this process, each of which waits for a child of the warm process; an error or Ctrl-C ends the children at once."""
    pool = ThreadPoolExecutor(workers)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        executor.stop()
        raise
    finally:
        pool.shutdown()


@contextmanager
def cluster_pool(address: str) -> Iterator[Executor]:
    """The processes of a Dask cluster."""
    from dask.distributed import Client  # an extra: pip install -e '.[cluster]'

    with Client(address) as client:
        yield client.get_executor(pure=False, retries=2)


def grade(session: Session, pool: Executor, execute: Callable, ahead: int) -> None:
    """Grade what there is to grade, with a progress bar."""
    with tqdm(total=len(session.todo), desc=session.course.lesson, unit=" notebooks", dynamic_ncols=True) as bar:
        for (submission, notebook, files), done in run_all(session.jobs(), pool, execute, ahead):
            session.record(submission, notebook, files, done)
            bar.update()
            bar.set_postfix(not_finished=sum(bool(each["reason"]) for each in session.done), refresh=False)


def summary(session: Session, seconds: float) -> str:
    """Return what to tell at the end."""
    number = len(session.done)
    lines = [
        f"{session.course.lesson}: {number} graded in {seconds:.0f} s ({60 * number / seconds:.0f} a minute), {session.before} were graded before"
    ]
    for record in session.done:
        lines += [f"  {record['student']}: {record['reason']}"] if record["reason"] else []
        lines += (
            [f"  {record['student']}: score withheld until you decide: {'; '.join(record['tampered'])}"]
            if record["tampered"]
            else []
        )
    lines += [f"  {refusal.student}: not graded: {refusal.reason}" for refusal in session.refused]
    spent: dict[str, list[float]] = {}
    for record in session.records.last.values():
        for name, value in record["seconds"].items():
            spent.setdefault(name, []).append(value)
    slowest = sorted(spent, key=lambda name: -median(spent[name]))[:3]
    lines.append(
        "  slowest cells (median seconds): " + ", ".join(f"{name} {median(spent[name]):.1f}" for name in slowest)
    )
    return "\n".join(lines)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    parser = argparse.ArgumentParser(
        prog="python -m autograder.grade", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lesson", help="such as 05_the_knee")
    parser.add_argument(
        "--workers",
        type=int,
        default=cores,
        metavar="N",
        help=f"notebooks at a time on this machine (default: its cores, {cores})",
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="of a Dask cluster to run them on, such as tcp://10.0.0.5:8786"
    )
    parser.add_argument(
        "--no-sandbox", action="store_true", help="do not shut submissions in: they run with your rights"
    )
    return parser.parse_args()


def main() -> int:
    """Grade a lesson; return the exit status: 0 where everything was graded, 1 where something could not be, 130 after Ctrl-C."""
    options = arguments()
    start = time.monotonic()
    try:
        course = Course(Path.cwd(), options.lesson)
        session = Session(course, Limits(cell_seconds=course.cell_seconds), not options.no_sandbox)
        print(PROTECTED if session.enclosed else OPEN)
        pool = cluster_pool(options.scheduler) if options.scheduler else local_pool(options.workers)
        with pool as running:
            grade(session, running, executor.execute, 2 * options.workers)
    except (NoCourse, NoSandbox, Fault) as error:
        print(f"{options.lesson}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\nstopped: {len(session.done)} graded and kept; run it again for the rest", file=sys.stderr)
        return 130
    print(summary(session, time.monotonic() - start))
    return 1 if session.refused else 0


if __name__ == "__main__":
    sys.exit(main())
