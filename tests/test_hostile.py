"""Submissions that attack the grader (attacks.py), graded together by the real command with limits of seconds, as root and as somebody else.

Each must get its points and no others, say why in its feedback page, and cost nobody else anything. Those that need no sandbox to be stopped are
run without one, too, where they must succeed: so it is the sandbox that stops them, and not a mistake in the attack.
"""

import hashlib
import html
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest
from attacks import ATTACKS, FORGERIES, Attack, answer
from browser import open_browser
from conftest import ROOT, needs_sandbox
from nbconvert import HTMLExporter
from nbgrader.api import Gradebook
from nbgrader.server_extensions.formgrader.handlers import template_path
from playwright.sync_api import Browser
from submissions import CONFIG, HARD_CODED, RIGHT, WARM_UP
from test_nbgrader import CHECKS, copied_checks, deleted_checks, edited_checks, forged_points_and_flags
from traitlets.config import Config

from autograder.course import Course
from autograder.executor import Limits, execute
from autograder.grade import Session, grade, in_parallel, local_pool
from autograder.verdicts import grades_of

pytestmark = needs_sandbox

HONEST = {
    **{f"honest_{number}": answer(RIGHT["spread_of_mean"], (1, 1, 1)) for number in range(3)},
    "honest_hard_coded": answer(HARD_CODED, (1, 0, 1), "6 (spread 6, batch of 1)"),
    "edited_checks": Attack(edited_checks(), (0, 0, 0)),
    "deleted_checks": Attack(deleted_checks(), (1, 0, 1), "missing from the submission"),
    "copied_checks": Attack(copied_checks(), (1, 1, 1)),
    "forged_points_and_flags": Attack(forged_points_and_flags(), (1, 0, 1)),
}
CLASS = {**HONEST, **ATTACKS, **FORGERIES}
OUTSIDE = {name: attack for name, attack in ATTACKS.items() if attack.outside}
# What a system call, a user id or a namespace could treat in another way where the grader is not root.
AS_SOMEBODY = [
    *(
        "endless_loop",
        "fork_bomb",
        "memory_of_many_processes",
        "memory_in_a_nameless_file",
        "fills_the_folders",
        "raises_its_limits",
    ),
    *(
        "ends_python",
        "kills_itself",
        "signals_everybody",
        "deletes_everything",
        "leaves_a_process_behind",
        "reads_the_gradebook",
    ),
    *(
        "reads_another_submission",
        "reads_the_solutions_here",
        "reads_the_environment",
        "reads_command_lines",
        "sees_other_processes",
    ),
    *("writes_in_the_course", "writes_in_the_home_folder", "calls_a_port_of_the_host", "calls_an_abstract_socket"),
    *(
        "makes_a_user_namespace",
        "mounts",
        "makes_the_system_writable",
        "becomes_root",
        "traces_its_parent",
        "patches_numpy",
    ),
]
ONLY_PROGRAMS = shutil.ignore_patterns(
    "submitted", "autograded", "feedback", "answers", "gradebook.db", "records", "exchange"
)
SOMEBODY = 12345  # a user id that nobody has


# -- the class and its grading ---------------------------------------------------------------------------------------------------


def course_of(folder: Path, submissions: dict[str, Attack], words: dict[str, str]) -> None:
    """Make a course with some submissions, in whose cells the words are replaced."""
    shutil.copytree(ROOT / "solutions" / WARM_UP, folder / "solutions" / WARM_UP)
    config = (ROOT / "nbgrader_config.py").read_text().replace("c.Execute.timeout = 120", "c.Execute.timeout = 2")
    (folder / "nbgrader_config.py").write_text(config)
    for student, attack in submissions.items():
        target = folder / "autograder" / "submitted" / student / WARM_UP
        target.mkdir(parents=True)
        notebook = attack.notebook
        content = notebook if isinstance(notebook, bytes) else with_words(nbformat.writes(notebook), words)
        (target / attack.name).write_bytes(content)
        for name, content in attack.files.items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Path):
                (target / name).symlink_to(content)
            else:
                (target / name).write_bytes(content)


def with_words(text: str, words: dict[str, str]) -> bytes:
    """Return a text in which @WORD@ is replaced by what the word stands for."""
    return re.sub(r"@([A-Z]+)@", lambda found: words[found[1]], text).encode()


@contextmanager
def servers():
    """Listen on a port of this machine and on an abstract socket; yield the words that stand for them."""
    with socket.create_server(("127.0.0.1", 0)) as port, socket.socket(socket.AF_UNIX) as abstract:
        name = f"hostile-{os.getpid()}"
        abstract.bind(f"\0{name}")
        abstract.listen(100)
        yield {"PORT": str(port.getsockname()[1]), "SOCKET": name}


class Graded:
    """A class that was graded: what came of it, and what the host was like afterwards."""

    def __init__(self, submissions: dict[str, Attack], flags: tuple = (), as_somebody: bool = False):
        self.folder = Path(tempfile.mkdtemp(prefix="hostile-"))
        self.course, self.home, self.temporary = (self.folder / name for name in ("course", "home", "tmp"))
        for folder in (self.course, self.home, self.temporary):
            folder.mkdir()
        (self.home / "secret").write_text("secret")
        secret = f"secret-{os.urandom(8).hex()}"
        with servers() as listening:
            words = {"COURSE": str(self.course), "ROOT": str(ROOT), "HOME": str(self.home), "LESSON": WARM_UP}
            course_of(self.course, submissions, {**words, **listening, "SECRET": secret})
            before = self.contents()
            environment = {**os.environ, "HOME": str(self.home), "TMPDIR": str(self.temporary), "HOST_SECRET": secret}
            command = [sys.executable, str(ROOT / "tests" / "hostile_grader.py"), WARM_UP, *flags]
            if as_somebody:
                command = [*somebody(self.folder), *command]
            beside = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(9999)", secret], env=environment)
            try:
                self.result = subprocess.run(command, cwd=self.course, env=environment, capture_output=True, text=True)
            finally:
                beside.kill()
                beside.wait()
        self.changed = [name for name, content in self.contents().items() if before.get(name) != content]
        self.left_running = json.loads(self.result.stdout.splitlines()[-1])
        self.points = points_in(self.course)

    def contents(self) -> dict[str, str]:
        """Return a hash of each file of the course and the home folder that grading has no business to change."""
        ours = (
            "autograder/autograded",
            "autograder/records",
            "autograder/reports",
            "autograder/gradebook.db",
            "notebooks",
        )
        files = {
            str(path.relative_to(self.folder)): path
            for path in [*self.course.rglob("*"), *self.home.rglob("*")]
            if path.is_file()
        }
        return {
            name: hashlib.sha256(path.read_bytes()).hexdigest()
            for name, path in files.items()
            if not name.startswith(tuple(f"course/{folder}" for folder in ours))
        }

    def feedback(self) -> dict[str, str]:
        """Return the feedback pages that nbgrader makes, by student."""
        call = [sys.executable, "-W", "ignore", "-m", "nbgrader", "generate_feedback", WARM_UP]
        subprocess.run(call, cwd=self.course, check=True, capture_output=True)
        pages = self.course.glob(f"autograder/feedback/*/{WARM_UP}/{WARM_UP}.html")
        return {page.parts[-3]: page.read_text(encoding="utf-8") for page in pages}


def points_in(course: Path) -> dict[str, tuple]:
    """Return the points of each student for the checks, from the gradebook."""
    with Gradebook(f"sqlite:///{course}/autograder/gradebook.db") as gradebook:
        grades = grades_of(WARM_UP, gradebook)
    return {student: tuple(of_student[name][0] for name in CHECKS) for student, of_student in grades.items()}


def somebody(folder: Path) -> list[str]:
    """Return the beginning of a command line that runs the rest of it as an ordinary user, who owns a folder and may read Python and this."""
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, SOMEBODY, SOMEBODY)
    line = ["bwrap", "--dev-bind", "/", "/"]
    private = [path for path in map(Path, (sys.prefix, sys.base_prefix, ROOT)) if path.is_relative_to("/root")]
    if private:
        line += ["--perms", "0755", "--tmpfs", "/root"]
    for path in private:
        parents = [
            parent for parent in reversed(path.parents) if parent.is_relative_to("/root") and parent != Path("/root")
        ]
        line += [word for parent in parents for word in ("--perms", "0755", "--dir", str(parent))]
        line += ["--ro-bind", str(path), str(path)]
    return [*line, "--", "setpriv", "--reuid", str(SOMEBODY), "--regid", str(SOMEBODY), "--clear-groups", "--"]


def graded(*arguments, **more):
    """Yield a graded class and delete it."""
    result = Graded(*arguments, **more)
    yield result
    shutil.rmtree(result.folder)


@pytest.fixture(scope="module")
def course():
    yield from graded(CLASS)


@pytest.fixture(scope="module")
def open_course():
    yield from graded(OUTSIDE, ("--no-sandbox",))


@pytest.fixture(scope="module")
def course_of_somebody():
    yield from graded({name: CLASS[name] for name in (*HONEST, *AS_SOMEBODY)}, as_somebody=True)


@pytest.fixture(scope="module")
def pages(course) -> dict[str, str]:
    return course.feedback()


def text(page: str) -> str:
    """Return what a page says."""
    return html.unescape(re.sub(r"<[^>]+>", "", page))


# -- what must hold --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*HONEST, *ATTACKS])
def test_hostile_submission_gets_its_points_and_no_others(name, course):
    assert course.points[name] == CLASS[name].points, course.result.stdout


@pytest.mark.parametrize("name", CLASS)
def test_hostile_submission_reads_why(name, pages):
    assert CLASS[name].said in text(pages[name])


@pytest.fixture(scope="module")
def browser():
    with open_browser() as opened:
        yield opened


def formgrader_page(notebook: Path, config: Config) -> str:
    """Return the page on which the formgrader shows a notebook."""
    config = config.copy()
    config.HTMLExporter.template_name, config.HTMLExporter.extra_template_basedirs = "formgrade", [template_path]
    about = (
        "assignment_id",
        "notebook_id",
        "submission_id",
        "base_url",
        "student",
        "last_name",
        "first_name",
        "notebook_path",
    )
    resources = {**dict.fromkeys(about, "x"), "index": 0, "total": 1}
    return HTMLExporter(config=config).from_filename(str(notebook), resources=resources)[0]


def runs_scripts(page: str, browser: Browser) -> bool:
    """Tell whether a browser runs what the submission with scripts has put into a page."""
    with browser.new_page() as tab:
        tab.route("http*://**", lambda request: request.abort())
        tab.set_content(page, wait_until="load")
        for link in tab.get_by_text("a link that runs").all():
            link.click()
        tab.wait_for_timeout(200)
        return tab.evaluate("window.escaped === true")


def test_hostile_page_runs_nothing_in_the_browser_of_who_reads_it(course, pages, browser):
    notebook = course.course / "autograder" / "autograded" / "scripts_for_a_browser" / WARM_UP / f"{WARM_UP}.ipynb"
    assert not runs_scripts(pages["scripts_for_a_browser"], browser)
    assert not runs_scripts(formgrader_page(notebook, CONFIG), browser)
    assert runs_scripts(formgrader_page(notebook, Config()), browser), (
        "the submission is harmless even for stock nbgrader"
    )


def test_hostile_class_changes_nothing_on_the_host(course):
    assert course.changed == []
    assert list(course.temporary.iterdir()) == [] and course.left_running == []


@pytest.mark.parametrize("name", FORGERIES)
def test_hostile_forgery_that_is_known_not_to_be_caught(name, course):
    """A limit that the README states: where one of these is caught one day, state less."""
    assert course.points[name] == FORGERIES[name].points


def test_hostile_submission_that_changes_while_the_class_is_graded(tmp_path):
    course_of(tmp_path, {name: HONEST[name] for name in ("honest_0", "honest_1")}, {})
    session = Session(Course(tmp_path, WARM_UP), Limits(), enclosed=True)
    shutil.rmtree(tmp_path / "autograder" / "submitted" / "honest_0" / WARM_UP)
    with local_pool(1) as (pool, workers):
        grade(session, in_parallel(session, pool, execute, ahead=2 * workers))
    assert [(refusal.student, "made ready" in refusal.reason) for refusal in session.refused] == [("honest_0", True)]
    assert points_in(tmp_path) == {"honest_0": (0, 0, 0), "honest_1": (1, 1, 1)}


def test_course_that_stands_in_tmp_can_read_its_own_files_in_the_sandbox():
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # over which the sandbox lays an empty folder
        course_of(Path(folder), {"honest_0": HONEST["honest_0"]}, {})
        for name in ("largebatch", "data", "examples", "autograder"):
            shutil.copytree(ROOT / name, Path(folder, name), ignore=ONLY_PROGRAMS, dirs_exist_ok=True)
        command, environment = [sys.executable, "-m", "autograder.grade", WARM_UP], {**os.environ, "PYTHONPATH": folder}
        result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert points_in(Path(folder)) == {"honest_0": (1, 1, 1)}, result.stdout + result.stderr


@pytest.mark.parametrize("name", OUTSIDE)
def test_hostile_submission_succeeds_without_a_sandbox(name, open_course):
    assert open_course.points[name] == (1, 1, 1), open_course.result.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="the whole class is graded by an ordinary user already")
@pytest.mark.parametrize("name", [*HONEST, *AS_SOMEBODY])
def test_hostile_submission_graded_by_an_ordinary_user(name, course_of_somebody):
    assert course_of_somebody.points[name] == CLASS[name].points, course_of_somebody.result.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="the whole class is graded by an ordinary user already")
def test_hostile_class_graded_by_an_ordinary_user_changes_nothing_on_the_host(course_of_somebody):
    assert course_of_somebody.changed == [] and course_of_somebody.left_running == []
    assert list(course_of_somebody.temporary.iterdir()) == []
