"""Grade a class: run what was handed in, several at a time and shut in, and record the scores in nbgrader's gradebook.

Reads autograder/submitted/<student>/<lesson>/; writes autograder/autograded/ and the gradebook as `nbgrader autograde` does, and the misconception
report. What is graded already and has not changed since is left alone, so a run that was interrupted goes on where it stopped.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from statistics import median

from nbformat import NotebookNode
from tqdm import tqdm

from autograder import cluster, executor, intake, kernel, report
from autograder.cells import cells_to_run, fill, modules, notice, seconds_by_name
from autograder.cluster import NoCluster
from autograder.course import Course, NoCourse
from autograder.executor import Executed, Fault, Job, Limits
from autograder.records import Records, is_graded
from autograder.sandbox import NoSandbox, require

PROTECTED = """Shut in: a submission sees Python, the course's package and its own files. It cannot reach your files, other submissions, the gradebook or the
network; its time, memory, processes and output are limited. Not protected: an answer and its checks share one Python, so somebody who sets out
to can still forge points; tripwires catch the plain ways and leave those scores to you."""
OPEN = """NO SANDBOX: every submission runs with your rights. It can read and change your files, the gradebook and other submissions, and use the
network. Do this only with work that you would run yourself."""
STOCK = """NBGRADER'S OWN WAY, for machines without bubblewrap and to compare with: one notebook after another, and no sandbox. Every submission runs
with your rights: it can read and change your files, the gradebook and other submissions, and use the network. Do this only with work that you
would run yourself. A submission that ends Python, or stops nbgrader, has no score at all, and no tripwires look at the others."""


# -- a class ---------------------------------------------------------------------------------------------------------------------


class Session:
    """One run of the command: what there is to grade, and what came of it."""

    def __init__(self, course: Course, limits: Limits, enclosed: bool):
        self.course, self.limits, self.enclosed = course, limits, enclosed
        self.records = Records(course)
        self.preload = modules(course.unanswered())
        submitted, self.refused = intake.submissions(course.folder("submitted"), course.lesson)
        with course.api.gradebook as gradebook:
            known = {entry.student_id for entry in gradebook.assignment_submissions(course.lesson)}
        self.todo = [each for each in submitted if not is_graded(each, course, self.records, known)]
        self.before = len(submitted) - len(self.todo)
        self.done: list[dict] = []

    def job(self, cells: list[dict], files: dict[str, bytes] | None = None) -> Job:
        """Return the job of running some cells, with these files about them."""
        beside = {name: content.hex() for name, content in (files or {}).items()}
        return Job(cells, beside, self.preload, self.limits, self.enclosed)

    def canary(self) -> Job:
        """Return a job of three checks: one that is right, one that is wrong, and one that looks for the gradebook."""
        gradebook = str(self.course.root / "autograder" / "gradebook.db")
        sources = ("assert True", "assert False", f"open({gradebook!r}).close()")
        return self.job(
            [{"index": i, "source": text, "check": True, "hidden": False} for i, text in enumerate(sources)]
        )

    def heed(self, canary: Executed) -> None:
        """Raise Fault where the canary shows that scores, or the sandbox, could not be relied on."""
        failed = [any(output["output_type"] == "error" for output in outputs) for outputs in canary.outputs.values()]
        if failed != [False, True, self.enclosed]:
            raise Fault(
                f"nothing was graded: of three cells of which the first must run, the second fail and the third see the gradebook "
                f"only without a sandbox, these failed: {failed} {canary.reason}"
            )

    def jobs(self) -> Iterator[tuple[tuple, Job]]:
        """Make the submissions ready one after the other, each with its job."""
        for submission in self.todo:
            try:
                notebook = self.course.sanitised(submission.notebook, submission.student)
                files = intake.supplements(submission.folder)
                job = self.job(cells_to_run(notebook), files)
            except Exception as error:  # it has changed meanwhile, or is like none before: no other must pay for it
                reason = f"it cannot be made ready for grading ({type(error).__name__}: {error})"
                self.refused.append(intake.Refusal(submission.student, reason, is_name=True))
                self.record_refusal(self.refused[-1])
            else:
                yield (submission, notebook, files), job

    def record(
        self, submission: intake.Submission, notebook: NotebookNode, files: dict[str, bytes], done: Executed
    ) -> None:
        """Record what came of a submission: in the gradebook and the folder first, so that a record always has its score."""
        fill(notebook, done)
        self.course.record(submission.student, notebook, files, notice(done), withhold=bool(done.tampered))
        self.note(submission, done, seconds_by_name(notebook, done))

    def note(self, submission: intake.Submission, done: Executed, seconds: dict[str, float]) -> None:
        """Note that a submission is done with."""
        record = {
            "student": submission.student,
            "submission": submission.sha256,
            "release": self.course.version,
            "reason": done.reason,
            "tampered": done.tampered,
            "seconds": seconds,
        }
        self.records.add(record)
        self.done.append(record)

    def record_refusal(self, refusal: intake.Refusal) -> None:
        """Give somebody whose submission cannot be taken in no points and a page that says why; an earlier one that was graded stands."""
        if refusal.is_name and refusal.student not in self.records.last:
            notebook, nothing = self.course.unanswered(), Executed(reason=refusal.reason)
            fill(notebook, nothing)
            self.course.record(refusal.student, notebook, {}, notice(nothing), withhold=False)


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
def local_pool(workers: int) -> Iterator[tuple[Executor, int]]:
    """Give threads of this process, each of which waits for a process that runs a submission; an error or Ctrl-C ends those at once."""
    pool = ThreadPoolExecutor(workers)
    try:
        yield pool, workers
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        executor.stop()
        raise
    finally:
        pool.shutdown()


def pool_for(options: argparse.Namespace, session: Session) -> AbstractContextManager[tuple[Executor, int]]:
    """Return what gives an executor and how many notebooks it runs at a time."""
    return cluster.pool(options.scheduler, session.enclosed) if options.scheduler else local_pool(options.workers)


def in_parallel(session: Session, pool: Executor, execute: Callable, ahead: int) -> Iterator[None]:
    """Grade what there is to grade, and yield after each submission."""
    session.heed(pool.submit(execute, session.canary()).result())
    for (submission, notebook, files), done in run_all(session.jobs(), pool, execute, ahead):
        session.record(submission, notebook, files, done)
        yield


def by_nbgrader(session: Session) -> Iterator[None]:
    """Grade what there is to grade with nbgrader's own means, and yield after each submission."""
    for submission in session.todo:
        session.note(submission, Executed(reason=session.course.autograde(submission.student)), {})
        yield


def grade(session: Session, steps: Iterator[None]) -> None:
    """Grade what there is to grade, with a progress bar."""
    for refusal in session.refused:
        session.record_refusal(refusal)
    size, lesson = len(session.todo), session.course.lesson
    with tqdm(total=size, desc=lesson, unit=" notebooks", dynamic_ncols=True, disable=not size) as bar:
        for _ in steps:
            bar.update()
            bar.set_postfix(not_finished=sum(bool(each["reason"]) for each in session.done), refresh=False)


def summary(session: Session, seconds: float) -> str:
    """Return what to tell at the end."""
    number = len(session.done)
    speed = f" in {seconds:.0f} s ({60 * number / seconds:.0f} a minute)" if number else ""
    before = f"; {session.before} had been graded before and have not changed" if session.before else ""
    lines = [f"{session.course.lesson}: {number} graded{speed}{before}"]
    for record in session.done:
        lines += [f"  {record['student']}: {record['reason']}"] * bool(record["reason"])
        caught = "; ".join(record["tampered"])
        lines += [f"  {record['student']}: score withheld until you decide in the formgrader: {caught}"] * bool(caught)
    lines += [f"  {refusal.student}: not graded: {refusal.reason}" for refusal in session.refused]
    return "\n".join([*lines, *slowest(session.records.last.values())])


def slowest(records: Iterable[dict]) -> list[str]:
    """Return a line about the named cells that took longest."""
    spent: dict[str, list[float]] = {}
    for record in records:
        for name, seconds in record["seconds"].items():
            spent.setdefault(name, []).append(seconds)
    typical = {name: median(seconds) for name, seconds in spent.items()}
    first = sorted(typical, key=typical.get, reverse=True)[:3]
    named = (f"{name} {typical[name]:.2f} (most {max(spent[name]):.2f})" for name in first)
    return [f"  slowest cells, median seconds: {', '.join(named)}"] if first else []


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
    parser.add_argument("--kernel", action="store_true", help="run each notebook in an IPython kernel of its own: slow")
    parser.add_argument(
        "--stock", action="store_true", help="let nbgrader run them, one after the other, without a sandbox"
    )
    options = parser.parse_args()
    if options.stock and (options.kernel or options.scheduler):
        parser.error("--stock runs notebooks here, in nbgrader's own way: leave out --kernel and --scheduler")
    return options


def main() -> int:
    """Grade a lesson; return the exit status: 0 where everything was graded, 1 where something could not be, 130 after Ctrl-C."""
    options = arguments()
    start = time.monotonic()
    enclosed = not (options.no_sandbox or options.stock)
    try:
        if enclosed and not options.scheduler:
            require()
        course = Course(Path.cwd(), options.lesson)
        if not any(course.folder("submitted").glob(f"*/{options.lesson}")):
            raise NoCourse(f"nothing to grade: no autograder/submitted/<student>/{options.lesson}")
        session = Session(course, Limits(cell_seconds=course.cell_seconds), enclosed)
        print(PROTECTED if session.enclosed else STOCK if options.stock else OPEN)
        if options.stock:
            grade(session, by_nbgrader(session))
        else:
            execute = kernel.execute if options.kernel else executor.execute
            with pool_for(options, session) as (pool, workers):
                grade(session, in_parallel(session, pool, execute, ahead=2 * workers))
    except NoSandbox as error:
        print(f"no sandbox: {error}. For work that you would run yourself: --no-sandbox, or --stock", file=sys.stderr)
        return 1
    except (NoCourse, NoCluster, Fault) as error:
        print(f"{options.lesson}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\nstopped: {len(session.done)} graded and kept; run it again for the rest", file=sys.stderr)
        return 130
    print(summary(session, time.monotonic() - start))
    print(f"  who misunderstood what: {report.write(options.lesson, course.root).relative_to(course.root)}")
    return 1 if session.refused or any(not course.graded(each.student).exists() for each in session.todo) else 0


if __name__ == "__main__":
    sys.exit(main())
