"""The misconception report: what a graded class understood of a lesson, and what it did not, on one page for the instructor.

usage: python -m autograder.report LESSON [--names]

Writes autograder/reports/<lesson>.html, a page that needs nothing but itself, and <lesson>.csv, a row for each exercise, check and
misconception. Both are without names of students unless --names asks for them. The exit status is 1 where there is nothing to report.
"""

import argparse
import csv
import math
import re
import statistics
import sys
import warnings
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup
from nbgrader.api import Gradebook
from traitlets.config import PyFileConfigLoader

from autograder.verdicts import NOT_RUN, Submission, Verdict, submissions

COURSE = Path(__file__).parent.parent
OUTCOMES = {  # what became of an answer → how the page calls it
    "right": "right",
    "named": "named mistake",
    "unnamed": "other mistake",
    "unanswered": "not answered",
    "ungraded": "not graded",
}
CAUSE = re.compile(r"^ {2}likely cause {2}(.*(?:\n {16}.*)*)", re.M)  # as largebatch.check writes it
FORMULA = re.compile(r"[=+\-@\t\r]")  # at the start of a cell a spreadsheet runs what follows
NUM_BINS = 16  # of the distribution of points, at most
NUM_SHOWN = 12  # unnamed messages of one exercise, the most frequent ones
LONGEST = 3000  # characters of a message or an answer that are shown


class NothingToReport(Exception):
    """No submission to this lesson is graded: why, and what to do."""


@dataclass(frozen=True)
class Finding:
    """What checks said about the same mistake in an exercise.

    says     : its likely cause where they name one, else the whole message
    students : who was told so, by check
    answer   : for an unnamed mistake, the most frequent answer of these students
    """

    says: str
    students: dict[str, list[str]]
    answer: str = ""

    @property
    def everyone(self) -> list[str]:
        """All these students, each once."""
        return sorted({student for told in self.students.values() for student in told})


@dataclass(frozen=True)
class Exercise:
    """How a class did in one exercise.

    points   : that it is worth
    outcomes : number of submissions for each of OUTCOMES; together the class
    named    : the mistakes that checks named, most frequent first
    unnamed  : the answers in which no check named one, by message, most frequent first
    """

    name: str
    points: float
    outcomes: dict[str, int]
    named: list[Finding]
    unnamed: list[Finding]


@dataclass(frozen=True)
class Report:
    """What is known about a class in one lesson.

    students : who handed in
    withheld : whose score waits for a person although a machine could give it
    failed   : whose submission could not be run, or was not yet
    points   : of all others, one number each
    maximum  : points of the lesson
    """

    lesson: str
    students: list[str]
    withheld: list[str]
    failed: list[str]
    points: list[float]
    maximum: float
    exercises: list[Exercise]

    @property
    def median(self) -> float:
        return statistics.median(self.points)

    @property
    def bins(self) -> list[tuple[str, int]]:
        """The distribution of the points: ranges of equal width in words, and how many submissions lie in each."""
        width = math.ceil((self.maximum + 1) / NUM_BINS)
        starts = range(0, math.floor(self.maximum) + 1, width)
        counts = Counter(min(points // width, len(starts) - 1) for points in self.points)
        ends = [min(start + width - 1, math.floor(self.maximum)) for start in starts]
        return [
            (f"{start}" if start == end else f"{start}–{end}", counts[place])
            for place, (start, end) in enumerate(zip(starts, ends, strict=True))
        ]


# -- from verdicts to findings ---------------------------------------------------------------------------------------------------


def read(lesson: str, root: Path) -> list[Submission]:
    """Return every submission to a lesson; raise NothingToReport where none is graded."""
    handed_in = {path.parent.name for path in (root / "autograder" / "submitted").glob(f"*/{lesson}")}
    graded = {path.stem for path in (root / "autograder" / "autograded").glob("*/*/[0-9]*.ipynb")}
    if lesson not in graded:
        others = f" (graded: {', '.join(sorted(graded))})" if graded else ""
        raise NothingToReport(f"no submission to {lesson!r} is graded yet{others}; make grade LESSON=… grades them")
    course = PyFileConfigLoader("nbgrader_config.py", path=str(root)).load_config().CourseDirectory
    with warnings.catch_warnings(), Gradebook(course.db_url, course.course_id) as gradebook:
        warnings.simplefilter("ignore")  # SQLAlchemy's, about nbgrader's own code
        known = list(submissions(lesson, root, gradebook))
    run = {submission.student: submission for submission in known if has_run(submission)}
    everyone = handed_in.union(submission.student for submission in known)
    return [run.get(student, Submission(student, (), {})) for student in sorted(everyone)]


def has_run(submission: Submission) -> bool:
    """Tell whether any check could be tried."""
    return any(not verdict.message.startswith(NOT_RUN) for verdict in submission.verdicts)


def report(lesson: str, handed_in: list[Submission]) -> Report:
    """Return what the verdicts on a class say."""
    failed = [submission.student for submission in handed_in if not submission.verdicts]
    withheld = [submission.student for submission in handed_in if is_withheld(submission)]
    scored = [submission for submission in handed_in if submission.student not in {*failed, *withheld}]
    checks = {verdict.check: verdict for submission in handed_in for verdict in submission.verdicts}.values()
    return Report(
        lesson,
        students=[submission.student for submission in handed_in],
        withheld=withheld,
        failed=failed,
        points=[sum(verdict.points or 0 for verdict in submission.verdicts) for submission in scored],
        maximum=sum(check.max_points for check in checks),
        exercises=[
            exercise(name, sum(check.max_points for check in checks if check.exercise == name), handed_in)
            for name in dict.fromkeys(check.exercise for check in checks)
        ],
    )


def is_withheld(submission: Submission) -> bool:
    """Tell whether a check that a machine can judge waits for a person; one named like its exercise is a written answer."""
    return any(verdict.points is None and verdict.check != verdict.exercise for verdict in submission.verdicts)


def exercise(name: str, points: float, handed_in: list[Submission]) -> Exercise:
    """Return how a class did in one exercise."""
    outcomes = Counter()
    named = defaultdict(lambda: defaultdict(list))  # cause → check → students
    unnamed = defaultdict(list)  # first check that failed, its message → submissions
    for submission in handed_in:
        checks = [verdict for verdict in submission.verdicts if verdict.exercise == name]
        kind = outcome(checks)
        outcomes[kind] += 1
        if kind == "named":
            for check in filter(cause, checks):
                named[cause(check)][check.check].append(submission.student)
        elif kind == "unnamed":
            first = next(filter(lost_points, checks))
            unnamed[first.check, shortened(first.message)].append(submission)
    return Exercise(
        name,
        points,
        {kind: outcomes[kind] for kind in OUTCOMES},
        by_frequency(Finding(says, dict(students)) for says, students in named.items()),
        by_frequency(
            Finding(
                says or "points were lost without an error",
                {check: [submission.student for submission in group]},
                most_frequent(submission.answers.get(name, "") for submission in group),
            )
            for (check, says), group in unnamed.items()
        ),
    )


def outcome(checks: list[Verdict]) -> str:
    """Return which of OUTCOMES the checks of one answer come to."""
    lost = [check for check in checks if lost_points(check)]
    if not lost:
        return "right" if checks and all(check.points is not None for check in checks) else "ungraded"
    if all(check.untouched for check in checks):
        return "unanswered"
    return "named" if any(map(cause, lost)) else "unnamed"


def lost_points(check: Verdict) -> bool:
    """Tell whether an answer is short of points of a check; where a person has to give them it is not, yet."""
    return check.points is not None and check.points < check.max_points


def cause(check: Verdict) -> str:
    """Return the mistake that a check named, in one line; empty where it named none or took no points."""
    found = CAUSE.search(check.message) if lost_points(check) else None
    return shortened(" ".join(found[1].split())) if found else ""


def shortened(text: str) -> str:
    """Cut a text that would fill the page: an answer may be megabytes long."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n… and {len(text) - LONGEST:,} more characters"


def most_frequent(answers) -> str:
    """Return the answer that was given most often."""
    return shortened(Counter(answers).most_common(1)[0][0])


def by_frequency(findings) -> list[Finding]:
    """Sort findings, those about most students first."""
    return sorted(findings, key=lambda finding: (-len(finding.everyone), finding.says))


# -- from findings to files ------------------------------------------------------------------------------------------------------


def page(about: Report, names: bool) -> str:
    """Return the page. All texts are escaped by the template engine: an answer may hold anything, such as a <script>."""
    folder = FileSystemLoader(Path(__file__).parent)
    templates = Environment(loader=folder, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    templates.filters |= {"share": partial(share, len(about.students)), "wrappable": wrappable, "one_line": one_line}
    all_graded = not any(exercise.outcomes["ungraded"] for exercise in about.exercises)
    outcomes = {kind: words for kind, words in OUTCOMES.items() if not (kind == "ungraded" and all_graded)}
    return templates.get_template("report.html").render(
        report=about, names=names, outcomes=outcomes, num_shown=NUM_SHOWN
    )


def share(num_students: int, count: int, whole: int = 0) -> str:
    """Return a share of the class, or of a part of it, in per cent; a few of many are not none."""
    per_cent = 100 * count / (whole or num_students)
    return f"{'<1' if 0 < per_cent < 1 else f'{per_cent:.0f}'}\N{NO-BREAK SPACE}%"


def wrappable(name: str) -> Markup:
    """Return a name of several words that may be broken between them."""
    return Markup("_<wbr>").join(name.split("_"))


def one_line(message: str) -> str:
    """Return a message of a check without its heading, in one line."""
    return "; ".join(" ".join(line.split()) for line in message.removeprefix("not yet").splitlines() if line.strip())


def rows(about: Report, names: bool) -> list[list]:
    """Return the table of mistakes, sorted; the misconception is empty where no check named it."""
    told = defaultdict(list)  # exercise, check, misconception → students
    for exercise in about.exercises:
        findings = [(finding, finding.says) for finding in exercise.named]
        findings += [(finding, "") for finding in exercise.unnamed]
        for finding, misconception in findings:
            for check, students in finding.students.items():
                told[exercise.name, check, misconception] += students
    return [
        [
            about.lesson,
            *map(harmless, key),
            len(students),
            f"{len(students) / len(about.students):.4f}",
            *([harmless("; ".join(sorted(students)))] if names else []),
        ]
        for key, students in sorted(told.items())
    ]


def harmless(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if FORMULA.match(text) else text


def write(lesson: str, root: Path = COURSE, names: bool = False) -> Path:
    """Write the report on a lesson of a course, with or without names of students, and return the path of its page.

    Raises NothingToReport where no submission is graded.
    """
    about = report(lesson, read(lesson, root))
    target = root / "autograder" / "reports" / f"{lesson}.html"
    target.parent.mkdir(exist_ok=True)
    # A submission may hold halves of characters, which no file can.
    target.write_text(page(about, names), encoding="utf-8", errors="replace")
    with target.with_suffix(".csv").open("w", encoding="utf-8", errors="replace", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["lesson", "exercise", "check", "misconception", "count", "share", *(["students"] * names)])
        table.writerows(rows(about, names))
    return target


def main(arguments: list[str]) -> int:
    """Write one report, say where it is, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m autograder.report", description=__doc__.splitlines()[0])
    parser.add_argument("lesson", metavar="LESSON", help="such as 05_the_knee")
    parser.add_argument("--names", action="store_true", help="say who made which mistake")
    options = parser.parse_args(arguments)
    try:
        print(write(options.lesson, names=options.names))
    except NothingToReport as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
