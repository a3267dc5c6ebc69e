"""The misconception report on a small class that nbgrader graded: what is counted, what is shown, and what is not."""

import csv
import os
import shutil
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from browser import open_browser
from conftest import ROOT
from nbgrader.api import Gradebook
from submissions import HARD_CODED, RIGHT, WARM_UP, submission

from autograder import report
from autograder.trial import NotGraded, TrialCourse
from autograder.verdicts import Submission, Verdict

VARIANCE = "this is the variance of the average; the standard deviation is its square root"
NO_RETURN = "the function ends without `return`"
SCRIPT = "<script>document.title = 'forged'</script>"
FORMULA = f'=HYPERLINK("http://example.org"){SCRIPT}'
HEAD = "def spread_of_mean(spread, batch_size):\n    "
ANSWERS = {  # student → answers
    "ada": RIGHT,
    "ben": {"spread_of_mean": f"{HEAD}return spread**2 / batch_size", "quiz_validate": 'answer_quiz_validate = "A"'},
    "cleo": {},
    "dan": {**RIGHT, "spread_of_mean": HARD_CODED},
    "eve": {"spread_of_mean": HARD_CODED},
    "fay": {**RIGHT, "spread_of_mean": f'{HEAD}raise ValueError("""{SCRIPT}</code></pre>{SCRIPT}""")'},
    "gil": {**RIGHT, "spread_of_mean": "def spread_of_mean(spread, batch_size)\n    return spread"},
    "hal": {**RIGHT, "spread_of_mean": f"{HEAD}print(spread)"},
    "ida": {**RIGHT, "spread_of_mean": f"{HEAD}raise AssertionError('''  likely cause  {FORMULA}''')"},
    "jon": {**RIGHT, "spread_of_mean": "import os\nos._exit(1)"},  # cannot be run
    "kim": RIGHT,  # its score is withheld
    "lou": RIGHT,  # handed in and not graded
}
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
GIT_IGNORED = ("answers", "submitted", "autograded", "feedback", "exchange", "reports", "gradebook.db", "__pycache__")
WITHHELD, NOT_RUN = ["kim"], ["jon", "lou"]


@pytest.fixture(scope="module")
def course():
    """A graded class."""
    with TrialCourse(WARM_UP) as course:
        for student, answers in ANSWERS.items():
            course.submit(student, submission(WARM_UP, answers))
            if student == "jon":
                with pytest.raises(NotGraded):
                    course.grade(student)
            elif student != "lou":
                course.grade(student)
        withhold(course.root, "kim")
        yield course


def withhold(root, student):
    """Leave all scores of a student to a person, in nbgrader's terms."""
    with Gradebook(f"sqlite:///{root}/autograder/gradebook.db", "large-batch-training") as gradebook:
        for grade in gradebook.find_submission_notebook(WARM_UP, WARM_UP, student).grades:
            grade.auto_score, grade.needs_manual_grade = None, True
        gradebook.db.commit()


@pytest.fixture(scope="module")
def about(course):
    return report.report(WARM_UP, report.read(WARM_UP, course.root))


@pytest.fixture(scope="module")
def written(course):
    """Return the page and the rows of the table, without names of students and with them."""
    result = {}
    for names in (False, True):
        path = report.write(WARM_UP, course.root, names)
        assert path == course.root / "autograder" / "reports" / f"{WARM_UP}.html"
        with path.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
            result[names] = path.read_text(encoding="utf-8"), list(csv.DictReader(file))
    return result


class Page(HTMLParser):
    """The tags of a page, with their attributes, and its text."""

    def __init__(self, source: str):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


# -- what is counted -------------------------------------------------------------------------------------------------------------


def test_every_submission_is_counted_once(about):
    assert about.students == sorted(ANSWERS)
    assert (about.withheld, about.failed) == (WITHHELD, NOT_RUN)
    assert {exercise.name: (exercise.points, exercise.outcomes) for exercise in about.exercises} == {
        "spread_of_mean": (2, {"right": 1, "named": 3, "unnamed": 4, "unanswered": 1, "ungraded": 3}),
        "quiz_validate": (1, {"right": 6, "named": 1, "unnamed": 0, "unanswered": 2, "ungraded": 3}),
    }


def test_points_are_those_of_the_submissions_with_a_score(about):
    #                       ada ben cleo dan eve fay gil hal ida
    assert about.points == [3, 0, 0, 2, 1, 1, 1, 1, 1]
    assert about.bins == [("0", 2), ("1", 5), ("2", 1), ("3", 1)] and (about.median, about.maximum) == (1, 3)


def test_named_mistakes_are_counted_by_the_check_that_named_them(about):
    spread, quiz = about.exercises
    by_hand, any_batch = "spread_of_mean_by_hand", "spread_of_mean_any_batch"
    assert [(finding.says, finding.students) for finding in spread.named] == [
        (FORMULA, {by_hand: ["ida"], any_batch: ["ida"]}),
        (NO_RETURN, {by_hand: ["hal"], any_batch: ["hal"]}),
        (VARIANCE, {by_hand: ["ben"]}),
    ]
    (finding,) = quiz.named
    assert finding.says.startswith("A does not hold: ") and finding.students == {"quiz_validate_choice": ["ben"]}


def test_unnamed_answers_are_grouped_by_message_with_an_answer(about):
    spread, quiz = about.exercises
    assert quiz.unnamed == []
    assert [(finding.students, finding.answer) for finding in spread.unnamed[:1]] == [
        ({"spread_of_mean_any_batch": ["dan", "eve"]}, HARD_CODED)
    ]
    says = {finding.everyone[0]: finding.says for finding in spread.unnamed}
    assert set(says) == {"dan", "fay", "gil"}
    assert "got           2" in says["dan"] and SCRIPT in says["fay"]
    assert says["gil"].startswith("the answer cell itself stops with SyntaxError: expected ':' (line 1)\n")


def test_a_mistake_counts_where_the_check_took_points():
    told = Verdict("mean", "mean_by_hand", 0, 1, "not yet\n  likely cause  a sum,\n                not a mean\n", True)
    assert report.cause(told) == "a sum, not a mean" and report.outcome([told]) == "named"
    forgiven = Verdict("mean", "mean_by_hand", 1, 1, told.message, True)  # a person gave the point
    assert report.cause(forgiven) == "" and report.outcome([forgiven]) == "right"
    waiting = Verdict("mean", "mean", None, 1, "", True)  # for a person
    assert report.outcome([waiting]) == report.outcome([]) == "ungraded"
    assert report.outcome([told, waiting]) == "named" and report.outcome([forgiven, waiting]) == "ungraded"


@pytest.mark.parametrize(
    "maximum, points, bins",
    [
        (15, [0, 15], [("0", 1), ("15", 1)]),
        (16, [0.5, 1, 16, 17], [("0–1", 2), ("16", 2)]),  # 17: extra credit
        (40, [38.5, 40], [("36–38", 1), ("39–40", 1)]),
    ],
)
def test_many_points_are_put_together(maximum, points, bins):
    about = report.Report("lesson", [], [], [], points, maximum, [])
    assert [(words, count) for words, count in about.bins if count] == bins and len(about.bins) <= report.NUM_BINS


# -- what is shown ---------------------------------------------------------------------------------------------------------------


def test_page_says_what_was_counted(written):
    text = " ".join(Page(written[False][0]).text.split())
    assert (
        "12 handed in. The score of 1 is withheld until a person decides. 2 could not be run, or were not yet." in text
    )
    assert "spread_of_mean 2 points 1 right, 8 % of the class and 12 % of the 8 answers that were graded." in text
    assert f"{VARIANCE} named by spread_of_mean_by_hand 1 8 %" in text
    assert (
        "4 answers in which no check names a mistake, by what the first check that failed says." in text
        and "2 × expected 6 (spread 6, batch of 1); got 2" in text
    )
    assert HARD_CODED.replace("\n    ", " ") in text and "Median 1 of 3 points, over 9 submissions" in text


def test_nothing_from_a_submission_becomes_part_of_the_page(written):
    page = Page(written[True][0])
    tags = {tag for tag, _ in page.tags}
    assert SCRIPT in page.text and FORMULA in page.text
    assert not tags & {"script", "img", "iframe", "link", "object", "base", "form"}
    assert not [value for _, attributes in page.tags for name, value in attributes.items() if name.startswith("on")]
    assert all(attributes["href"].startswith("#") for _, attributes in page.tags if "href" in attributes)
    assert not [attributes for _, attributes in page.tags if "src" in attributes]


def test_a_browser_runs_nothing_and_fetches_nothing(course, written, tmp_path):
    with open_browser() as browser:
        tab = browser.new_page(viewport={"width": 400, "height": 800})
        asked, said = [], []
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("console", lambda message: said.append(message.text))
        path = course.root / "autograder" / "reports" / f"{WARM_UP}.html"
        tab.goto(path.as_uri())
        assert tab.title() == f"{WARM_UP}: what the class understood"
        assert asked == [path.as_uri()] and said == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= 400
        answer = tab.locator("details").filter(has_text="SyntaxError").locator("pre code")
        assert not answer.is_visible()
        tab.locator("summary").filter(has_text="SyntaxError").focus()
        tab.keyboard.press("Enter")
        assert answer.inner_text() == ANSWERS["gil"]["spread_of_mean"]
        forged = tmp_path / "forged.html"  # even a script in the page itself is not run
        forged.write_text(written[False][0].replace("</main>", f"{SCRIPT}</main>"), encoding="utf-8")
        tab.goto(forged.as_uri())
        assert tab.title() != "forged" and "Content Security Policy" in said[0]


def test_page_is_accessible(written):
    page = Page(written[False][0])
    tags = page.tags
    assert ("html", {"lang": "en-GB"}) in tags
    headers = [attributes for tag, attributes in tags if tag == "th"]
    assert headers and all(attributes["scope"] in ("row", "col") for attributes in headers)
    decoration = [
        attributes for tag, attributes in tags if attributes.get("class") in ("bar", "key right", "key named")
    ]
    assert decoration and all(attributes["aria-hidden"] == "true" for attributes in decoration)


def test_names_are_shown_only_where_asked_for(written):
    def words(names: bool) -> set[str]:
        source, rows = written[names]
        return set(Page(source).text.replace(",", " ").split()) | {word for row in rows for word in str(row).split("'")}

    assert not words(False) & set(ANSWERS)
    assert words(True) & set(ANSWERS) == set(ANSWERS) - {"ada", "cleo"}, "all who made a mistake, or have no score"
    assert "dan, eve" in written[True][0] and "students" not in written[False][1][0]


def test_table_has_a_row_for_each_exercise_check_and_misconception(written):
    (_, rows), (_, named) = written[False], written[True]
    a_does_not_hold = rows[0]["misconception"]
    assert a_does_not_hold.startswith("A does not hold: ")
    assert [tuple(row.values()) for row in rows] == [
        (WARM_UP, "quiz_validate", "quiz_validate_choice", a_does_not_hold, "1", "0.0833"),
        (WARM_UP, "spread_of_mean", "spread_of_mean_any_batch", "", "2", "0.1667"),
        (WARM_UP, "spread_of_mean", "spread_of_mean_any_batch", f"'{FORMULA}", "1", "0.0833"),
        (WARM_UP, "spread_of_mean", "spread_of_mean_any_batch", NO_RETURN, "1", "0.0833"),
        (WARM_UP, "spread_of_mean", "spread_of_mean_by_hand", "", "2", "0.1667"),
        (WARM_UP, "spread_of_mean", "spread_of_mean_by_hand", f"'{FORMULA}", "1", "0.0833"),
        (WARM_UP, "spread_of_mean", "spread_of_mean_by_hand", NO_RETURN, "1", "0.0833"),
        (WARM_UP, "spread_of_mean", "spread_of_mean_by_hand", VARIANCE, "1", "0.0833"),
    ]
    assert [row["students"] for row in named] == ["ben", "dan; eve", "ida", "hal", "fay; gil", "ida", "hal", "ben"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_cell_is_taken_for_a_formula(text):
    assert report.harmless(text) == f"'{text}" and report.harmless(f"a {text}") == f"a {text}"


def test_an_endless_answer_and_half_a_character_do_no_harm(course, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(course.root, root)
    path = root / "autograder" / "autograded" / "dan" / WARM_UP / f"{WARM_UP}.ipynb"
    path.chmod(0o644)
    long = path.read_text(encoding="utf-8").replace("return 2.0", "return 2.0  # \\ud800" + 100_000 * "#")
    path.write_text(long, encoding="utf-8")
    page = report.write(WARM_UP, root).read_text(encoding="utf-8")
    assert len(page) < 50_000 and "return 2.0  # ?###" in page and "more characters" in page


def test_a_notebook_that_is_gone_or_unreadable_counts_as_not_run(course, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(course.root, root)
    shutil.rmtree(root / "autograder" / "autograded" / "ada")
    path = root / "autograder" / "autograded" / "ben" / WARM_UP / f"{WARM_UP}.ipynb"
    path.chmod(0o644)
    path.write_text(path.read_text(encoding="utf-8")[:1000], encoding="utf-8")
    assert report.report(WARM_UP, report.read(WARM_UP, root)).failed == ["ada", "ben", *NOT_RUN]


def test_page_shows_the_most_frequent_messages_of_a_large_class():
    told = [str(number) for number in range(20) for _ in range(20 - number)]
    class_ = [
        Submission(f"s{i}", (Verdict("mean", "mean_by_hand", 0, 1, f"got {word}.", True),), {})
        for i, word in enumerate(told)
    ]
    page = Page(report.page(report.report("lesson", class_), names=False))
    text = " ".join(page.text.split())
    assert "210 answers in which" in text and "Shown are the 12 most frequent of 20 messages." in text
    assert [tag for tag, _ in page.tags].count("details") == 12 and "20 × got 0." in text and "got 12." not in text
    assert "(none: its cell is missing)" in text


def test_a_few_of_many_are_not_none():
    shown = [report.share(2000, count) for count in (0, 1, 19, 20, 2000)]
    assert shown == ["0\xa0%", "<1\xa0%", "<1\xa0%", "1\xa0%", "100\xa0%"]


# -- the command -----------------------------------------------------------------------------------------------------------------


def test_command_says_where_the_page_is(course, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(course.root, root)
    shutil.copytree(ROOT / "autograder", root / "autograder", dirs_exist_ok=True, ignore=lambda *_: GIT_IGNORED)
    command = [sys.executable, "-m", "autograder.report", WARM_UP, "--names"]
    result = subprocess.run(command, cwd=root, env=ENVIRONMENT, capture_output=True, text=True)
    page = root / "autograder" / "reports" / f"{WARM_UP}.html"
    assert (result.returncode, result.stdout, result.stderr) == (0, f"{page}\n", "")
    assert "dan, eve" in page.read_text(encoding="utf-8")
    command[3] = "no_such"
    result = subprocess.run(command, cwd=root, env=ENVIRONMENT, capture_output=True, text=True)
    assert result.returncode == 1 and result.stderr.startswith("no submission to 'no_such' is graded yet")


def test_nothing_graded_is_said_so(course, tmp_path):
    with pytest.raises(report.NothingToReport, match=r"no submission to '00_start_here' is graded yet; make grade"):
        report.write(WARM_UP, tmp_path)
    with pytest.raises(report.NothingToReport, match=rf"'no_such' is graded yet \(graded: {WARM_UP}\)"):
        report.write("no_such", course.root)
    assert list(tmp_path.iterdir()) == []


def test_a_class_in_which_all_are_right_has_a_page(course):
    perfect = [entry for entry in report.read(WARM_UP, course.root) if entry.student == "ada"]
    text = report.page(report.report(WARM_UP, perfect), names=False)
    assert "not graded" not in text and "named mistake" in text and "Other mistakes" not in text
