"""What is taken in for grading, on real files: what learners do by accident, and what nobody does by accident."""

import contextlib
import copy
import json
import os
import shutil
import signal
import socket

import nbformat
import pytest
from conftest import LESSONS
from submissions import RIGHT, WARM_UP, read, submission

from autograder import intake
from autograder.intake import Refused, read_notebook, submissions, supplements
from autograder.trial import NotGraded, TrialCourse

NOTEBOOK = f"{WARM_UP}.ipynb"
OTHER = LESSONS[1]
HELPER = "def double(x):\n    return 2 * x\n"


@pytest.fixture(autouse=True)
def in_time():
    """Fail, rather than wait for ever, where a file hangs its reader or takes minutes."""

    def too_long(*_):
        raise TimeoutError("reading a submission took longer than a minute")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def submitted(tmp_path):
    """The folder of a class in which Ada and Zoe handed in a notebook each, with a helper beside it."""
    folder = tmp_path / "submitted"
    hand_in(folder, "ada")
    hand_in(folder, "zoe")
    return folder


def hand_in(submitted, student, lesson=WARM_UP):
    """Hand in an honest submission and return its folder."""
    folder = submitted / student / lesson
    folder.mkdir(parents=True)
    nbformat.write(submission(lesson, RIGHT if lesson == WARM_UP else {}), folder / f"{lesson}.ipynb")
    (folder / "helper.py").write_text(HELPER)
    return folder


def looked_at(submitted) -> tuple[dict, dict]:
    """Return the submissions by student and the reasons of the refused by student; Ada's and Zoe's are always accepted."""
    accepted, refused = submissions(submitted, WARM_UP)
    assert {"ada", "zoe"} <= {one.student for one in accepted}
    return {one.student: one for one in accepted}, {one.student: one.reason for one in refused}


# -- what is accepted ------------------------------------------------------------------------------------------------------------


def test_what_was_handed_in_is_accepted(submitted):
    hand_in(submitted, "max", OTHER)  # nothing for this lesson
    (submitted / "README.txt").write_text("not a student")
    accepted, refused = looked_at(submitted)
    assert list(accepted) == ["ada", "zoe"] and not refused
    assert accepted["ada"].folder == submitted / "ada" / WARM_UP
    assert accepted["ada"].notebook == submitted / "ada" / WARM_UP / NOTEBOOK


def test_where_nothing_was_handed_in_there_is_nothing(tmp_path):
    assert submissions(tmp_path / "submitted", WARM_UP) == ([], [])


def test_the_hash_tells_what_changed(submitted):
    """It must change with every name and content that grading could see, and with nothing else."""
    hashes = [looked_at(submitted)[0]["ada"].sha256]
    folder = submitted / "ada" / WARM_UP
    assert hashes[0] == looked_at(submitted)[0]["zoe"].sha256
    for change in (
        lambda: (folder / "helper.py").write_text(HELPER + "\n"),
        lambda: (folder / "helper.py").rename(folder / "helper2.py"),
        lambda: (folder / "timestamp.txt").write_text("2026-01-01 00:00:00 UTC"),
        lambda: (folder / NOTEBOOK).write_text((folder / NOTEBOOK).read_text() + "\n"),
    ):
        change()
        hashes.append(looked_at(submitted)[0]["ada"].sha256)
    assert len(set(hashes)) == 5
    (folder / ".ipynb_checkpoints").mkdir()
    shutil.copy(folder / NOTEBOOK, folder / ".ipynb_checkpoints")
    assert looked_at(submitted)[0]["ada"].sha256 == hashes[-1]


def test_supplements_are_what_the_learner_put_beside_the_notebook(submitted):
    folder = submitted / "ada" / WARM_UP
    for name in ("data/x.csv", "timestamp.txt", ".ipynb_checkpoints/helper.py", "__pycache__/helper.cpython-311.pyc"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(name)
    shutil.copy(folder / NOTEBOOK, folder / "copy.ipynb")
    beside = {"helper.py": HELPER.encode(), "data/x.csv": b"data/x.csv", "timestamp.txt": b"timestamp.txt"}
    assert supplements(folder) == beside


def test_hard_links_are_ordinary_files(submitted):
    os.link(submitted / "ada" / WARM_UP / "helper.py", submitted / "zoe" / WARM_UP / "again.py")
    accepted, _ = looked_at(submitted)
    assert supplements(accepted["zoe"].folder)["again.py"] == HELPER.encode()


@pytest.mark.parametrize("name", [f"{WARM_UP} (1).ipynb", "Untitled.ipynb", NOTEBOOK.title(), "00_Start_Here.IPYNB"])
@pytest.mark.parametrize("says_its_lesson", [True, False])
def test_a_notebook_under_another_name_is_found(submitted, name, says_its_lesson):
    """Beside a notebook of another lesson; some tools drop the metadata that names the lesson."""
    folder = hand_in(submitted, "eve")
    notebook = nbformat.read(folder / NOTEBOOK, as_version=4)
    if not says_its_lesson:
        del notebook.metadata["largebatch"]
    nbformat.write(notebook, folder / name)
    if name != NOTEBOOK:
        (folder / NOTEBOOK).unlink()
    nbformat.write(read("notebooks", OTHER), folder / f"{OTHER}.ipynb")
    accepted, refused = looked_at(submitted)
    assert not refused and accepted["eve"].notebook == folder / name


def test_the_right_name_wins_over_copies(submitted):
    folder = hand_in(submitted, "eve")
    shutil.copy(folder / NOTEBOOK, folder / "copy.ipynb")
    assert looked_at(submitted)[0]["eve"].notebook == folder / NOTEBOOK


def test_outputs_are_no_reason_to_refuse(submitted):
    """A million values and NaN among outputs, and thousands of widgets: nothing of it is graded."""
    folder = hand_in(submitted, "eve")
    notebook = nbformat.read(folder / NOTEBOOK, as_version=4)
    code = next(cell for cell in notebook.cells if cell.cell_type == "code")
    data = {"application/json": [float("nan"), *range(1_000_000)]}
    code.outputs = [nbformat.v4.new_output("display_data", data)]
    notebook.metadata["widgets"] = {str(number): {"state": {}} for number in range(30_000)}
    (folder / NOTEBOOK).write_text(json.dumps(notebook))
    accepted, refused = looked_at(submitted)
    assert not refused
    assert not any(cell.get("outputs") for cell in read_notebook(accepted["eve"].notebook).cells)


def test_what_nbgrader_repairs_is_accepted(submitted):
    """Code cells that some tools write without outputs, two cells of one id, a flag that the format does not know."""
    folder = hand_in(submitted, "eve")
    notebook = json.loads((folder / NOTEBOOK).read_text())
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            del cell["outputs"], cell["execution_count"]
    notebook["cells"][1] |= {"id": notebook["cells"][0]["id"], "flag": True}
    (folder / NOTEBOOK).write_text(json.dumps(notebook))
    assert not looked_at(submitted)[1]


def test_a_notebook_of_format_3_is_upgraded(submitted):
    folder = hand_in(submitted, "eve")
    (folder / NOTEBOOK).write_text(nbformat.writes(nbformat.read(folder / NOTEBOOK, as_version=4), version=3))
    assert read_notebook(looked_at(submitted)[0]["eve"].notebook).nbformat == 4


def test_students_are_accepted_where_nbgrader_can_grade_them(submitted):
    """It writes their names as they are into paths, patterns and format strings."""
    unusual, impossible = ["o'brien {student_id} 100%s", 'a+b "(日本|é)"'], [" ada", "ada ", "[ada]", "a\nda"]
    for name in unusual + impossible:
        hand_in(submitted, name)
    accepted, refused = looked_at(submitted)
    assert set(accepted) == {"ada", "zoe", *unusual} and len(refused) == len(impossible)
    with TrialCourse(WARM_UP) as course:
        for name in unusual:
            course.submit(name, accepted[name].notebook)
            assert sum(verdict.points for verdict in course.grade(name)) == 3, name
        for name in impossible:
            course.submit(name, submitted / "ada" / WARM_UP / NOTEBOOK)
            with pytest.raises(NotGraded):
                course.grade(name)


# -- what is refused -------------------------------------------------------------------------------------------------------------


def link_to_a_file(folder):
    (folder / "secret").symlink_to("/etc/passwd")


def link_to_nothing(folder):
    (folder / "nothing").symlink_to(folder / "missing")


def link_to_a_folder(folder):
    (folder / "others").symlink_to(folder.parent.parent)


def link_to_itself(folder):
    (folder / "again").symlink_to(folder)


def link_deep_inside(folder):
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "secret").symlink_to("/etc/passwd")


def link_instead_of_the_notebook(folder):
    (folder / NOTEBOOK).unlink()
    (folder / NOTEBOOK).symlink_to(folder.parent.parent / "ada" / WARM_UP / NOTEBOOK)


def link_among_checkpoints(folder):
    (folder / ".ipynb_checkpoints").symlink_to("/etc")


def link_instead_of_the_lesson(folder):
    shutil.rmtree(folder)
    folder.symlink_to(folder.parent.parent / "ada" / WARM_UP)


def link_instead_of_the_student(folder):
    shutil.rmtree(folder.parent)
    folder.parent.symlink_to(folder.parent.parent / "ada")


def file_instead_of_the_lesson(folder):
    shutil.rmtree(folder)
    folder.write_text("notebook")


def pipe(folder):
    os.mkfifo(folder / "pipe")


def pipe_instead_of_the_notebook(folder):
    (folder / NOTEBOOK).unlink()
    os.mkfifo(folder / NOTEBOOK)


def a_socket(folder):
    with contextlib.chdir(folder), socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")  # a relative path: it may have 107 bytes


def control_character(folder):
    (folder / "a\x1b[2Jb.py").touch()


def newline(folder):
    (folder / "a\nb.py").touch()


def turned_direction(folder):
    (folder / "helper\u202eyp.exe").touch()


def no_utf8(folder):
    (folder / os.fsdecode(b"caf\xe9.py")).touch()


def newline_in_a_folder(folder):
    (folder / "a\nb").mkdir()


def long_name(folder):
    (folder / ("x" * 201)).touch()


def long_path(folder):
    folder.joinpath(*["ab"] * 100).mkdir(parents=True)


def too_many_files(folder):
    for number in range(intake.ENTRIES - 1):  # there are two already
        (folder / f"{number}.txt").touch()


def too_many_folders(folder):
    for number in range(intake.ENTRIES - 1):
        (folder / f"{number}").mkdir()


def too_large_together(folder):
    for number in range(11):
        sized(folder / f"{number}.bin", 10 * intake.MB)


def sized(path, size):
    """Make a file of that many bytes that takes no room."""
    path.touch()
    os.truncate(path, size)


def too_large_a_notebook(folder):
    sized(folder / NOTEBOOK, intake.NOTEBOOK_BYTES + 1)


def no_notebook(folder):
    (folder / NOTEBOOK).unlink()


def notebook_in_a_folder_only(folder):
    (folder / "copy").mkdir()
    (folder / NOTEBOOK).rename(folder / "copy" / NOTEBOOK)


def folder_instead_of_the_notebook(folder):
    (folder / NOTEBOOK).unlink()
    (folder / NOTEBOOK).mkdir()


def two_copies(folder):
    shutil.copy(folder / NOTEBOOK, folder / "a.ipynb")
    (folder / NOTEBOOK).rename(folder / "b.ipynb")


def too_many_notebooks(folder):
    (folder / NOTEBOOK).rename(folder / "copy.ipynb")
    for number in range(intake.NOTEBOOKS):
        (folder / f"{number}.ipynb").write_text("{}")


def another_lesson(folder):
    (folder / NOTEBOOK).unlink()
    nbformat.write(read("notebooks", OTHER), folder / "Untitled.ipynb")


def a_notebook_of_ones_own(folder):
    (folder / NOTEBOOK).unlink()
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")]), folder / "Untitled.ipynb")


def renamed_and_broken(folder):
    (folder / NOTEBOOK).unlink()
    (folder / "Untitled.ipynb").write_text("{\n!")


def content(make):
    """Return what puts the text or bytes that `make` makes of the honest notebook's JSON in the notebook's place."""

    def spoil(folder):
        made = make(json.loads((folder / NOTEBOOK).read_text()))
        made = made if isinstance(made, str | bytes) else json.dumps(made)
        (folder / NOTEBOOK).write_bytes(made.encode() if isinstance(made, str) else made)

    return spoil


def with_metadata(notebook, value):
    return {**notebook, "metadata": {**notebook["metadata"], "x": value}}


def with_cell(notebook, **changes):
    return {**notebook, "cells": [{**notebook["cells"][0], **changes}, *notebook["cells"][1:]]}


def with_text(notebook, text):
    """Put a text that json.dumps would not write into the metadata."""
    return json.dumps(with_metadata(notebook, "HERE")).replace('"HERE"', text)


def nested(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


HOSTILE = {  # what was done to the submission → what the reason must say
    link_to_a_file: "secret is a symbolic link",
    link_to_nothing: "nothing is a symbolic link",
    link_to_a_folder: "others is a symbolic link",
    link_to_itself: "again is a symbolic link",
    link_deep_inside: "a/b/secret is a symbolic link",
    link_instead_of_the_notebook: f"{NOTEBOOK} is a symbolic link",
    link_among_checkpoints: ".ipynb_checkpoints is a symbolic link",
    link_instead_of_the_lesson: f"{WARM_UP} is a symbolic link, not a folder",
    link_instead_of_the_student: "eve is a symbolic link, not a folder",
    file_instead_of_the_lesson: f"{WARM_UP} is a file, not a folder",
    pipe: "pipe is a pipe, socket or device",
    pipe_instead_of_the_notebook: f"{NOTEBOOK} is a pipe",
    a_socket: "socket is a pipe, socket or device",
    control_character: r"the name a\x1b[2Jb.py holds characters that cannot be read",
    newline: r"the name a\nb.py holds characters",
    turned_direction: r"the name helper\u202eyp.exe holds characters",
    no_utf8: r"the name caf\udce9.py holds characters",
    newline_in_a_folder: r"the name a\nb holds characters",
    long_name: "longer than 200 bytes",
    long_path: "longer than 200 bytes",
    too_many_files: "more than 1,000 files and folders",
    too_many_folders: "more than 1,000 files and folders",
    too_large_together: "larger than 100 MB together",
    too_large_a_notebook: f"{NOTEBOOK} is larger than 20 MB",
    no_notebook: f"there is no notebook in the folder; hand in {NOTEBOOK}",
    notebook_in_a_folder_only: "there is no notebook in the folder",
    folder_instead_of_the_notebook: "00_start_here.ipynb is a folder with the name of a notebook",
    two_copies: "a.ipynb, b.ipynb: it is not clear which one to grade",
    too_many_notebooks: "there are 11 notebooks in the folder, none with the name of the lesson",
    another_lesson: "Untitled.ipynb: not made from this lesson",
    a_notebook_of_ones_own: "Untitled.ipynb: not made from this lesson",
    renamed_and_broken: "Untitled.ipynb is not a notebook: its JSON breaks at line 2, column 1",
}
SPOILT = {  # name of the case → (what is made of the honest notebook, what the reason must say)
    "empty": (lambda _: "", "its JSON breaks at line 1, column 1"),
    "cut_off": (lambda notebook: json.dumps(notebook, indent=1)[:500], "its JSON breaks at line"),
    "merge_conflict": (lambda _: '{\n "cells": [],\n<<<<<<< HEAD\n}', "its JSON breaks at line 3, column 1"),
    "web_page": (lambda _: "<!DOCTYPE html>", "its JSON breaks at line 1, column 1"),
    "no_text": (lambda _: b"\x89PNG\r\n\xff", "is not Unicode text"),
    "half_a_character": (lambda notebook: with_metadata(notebook, "\ud800"), "is not Unicode text"),
    "a_list": (lambda _: [], "is JSON but not a notebook"),
    "a_number": (lambda _: "1", "is JSON but not a notebook"),
    "no_version": (lambda _: {"cells": []}, "is JSON but not a notebook"),
    "from_the_future": (lambda notebook: {**notebook, "nbformat": 5}, "Unsupported nbformat version 5"),
    "version_is_a_list": (lambda notebook: {**notebook, "nbformat": []}, "that Jupyter can read"),
    "no_cells": (lambda _: {"nbformat": 4, "nbformat_minor": 5, "metadata": {}}, "that Jupyter can read"),
    "cells_are_a_dictionary": (lambda notebook: {**notebook, "cells": {}}, "that Jupyter can read"),
    "metadata_is_a_list": (lambda notebook: {**notebook, "metadata": []}, "that Jupyter can read"),
    "cell_is_null": (lambda notebook: {**notebook, "cells": [None]}, "that Jupyter can read"),
    "cell_has_no_metadata": (lambda notebook: {**notebook, "cells": [{"cell_type": "code"}]}, "that Jupyter can read"),
    "source_is_a_number": (lambda notebook: with_cell(notebook, source=1), "cell 1: 1 is not"),
    "cell_has_no_type": (
        lambda notebook: {**notebook, "cells": [{"source": "", "metadata": {}}]},
        "that Jupyter can read",
    ),
    "type_is_unknown": (lambda notebook: with_cell(notebook, cell_type="zzz"), "that Jupyter can read (cell 1: "),
    "type_is_a_number": (lambda notebook: with_cell(notebook, cell_type=1), "that Jupyter can read"),
    "nan": (lambda notebook: with_text(notebook, "NaN"), "holds a number that JSON does not allow"),
    "infinity": (lambda notebook: with_text(notebook, "-Infinity"), "holds a number that JSON does not allow"),
    "becomes_infinity": (lambda notebook: with_text(notebook, "1e999"), "holds a number that JSON does not allow"),
    "endless_number": (lambda notebook: with_text(notebook, "9" * 5000), "holds a number that JSON does not allow"),
    "too_deep": (lambda notebook: with_metadata(notebook, nested(intake.DEPTH)), "nested deeper than 50 levels"),
    "absurdly_deep": (lambda _: "[" * 900_000, "nested deeper than 50 levels"),
    "absurdly_many": (lambda notebook: with_text(notebook, f"[{'{},' * 6_000_000}0]"), "more than 1,000,000 brackets"),
    "many_values": (lambda notebook: with_metadata(notebook, [0] * intake.VALUES), "lines and other values"),
}
HOSTILE |= {content(make): reason for make, reason in SPOILT.values()}
CASES = [make.__name__ for make in HOSTILE if make.__name__ != "spoil"] + list(SPOILT)


@pytest.mark.parametrize("spoil, expected", list(HOSTILE.items()), ids=CASES)
def test_hostile_submission_is_refused(submitted, spoil, expected):
    """With a reason that says where and how to mend, and nobody else is touched."""
    spoil(hand_in(submitted, "eve"))
    accepted, refused = looked_at(submitted)
    assert list(accepted) == ["ada", "zoe"] and list(refused) == ["eve"]
    assert expected in refused["eve"] and len(refused["eve"].split("; ")[-1]) > 8
    assert refused["eve"].isprintable() and len(refused["eve"]) < 300
    assert str(submitted) not in refused["eve"]


@pytest.mark.parametrize(
    "name, shown",
    [
        ("-rf", "-rf"),
        (".hidden", ".hidden"),
        ("...", "..."),
        (" eve", " eve"),
        ("eve\u3000", "eve\u3000"),
        ("*", "*"),
        ("[a-z]da", "[a-z]da"),
        ("ad?", "ad?"),
        ("e\nve", r"e\nve"),
        ("\x1b[31meve", r"\x1b[31meve"),
        ("ev\u202ee", r"ev\u202ee"),
        ("eve\u2028", r"eve\u2028"),
        (os.fsdecode(b"ev\xe9"), r"ev\udce9"),
        ("e" * 201, "e" * 201),
        ("é" * 101, "é" * 101),
    ],
    ids=ascii,
)
def test_hostile_name_of_a_student_is_refused(submitted, name, shown):
    hand_in(submitted, name)
    accepted, refused = looked_at(submitted)
    assert list(accepted) == ["ada", "zoe"] and list(refused) == [shown]
    assert "rename it" in refused[shown] or "shorten it" in refused[shown]


def test_hostile_limits_are_where_they_are_said_to_be(submitted):
    """What is just small enough is accepted, can be copied and can be written."""
    folder = hand_in(submitted, "eve")
    notebook = with_metadata(json.loads((folder / NOTEBOOK).read_text()), nested(intake.DEPTH - 2))
    text = json.dumps(notebook)
    (folder / NOTEBOOK).write_text(text + " " * (intake.NOTEBOOK_BYTES - len(text.encode())))
    (folder / ("x" * 200)).touch()
    for number in range(intake.ENTRIES - 4):
        (folder / f"{number}.txt").touch()
    held = sum(path.stat().st_size for path in folder.iterdir())
    sized(folder / "rest.bin", intake.ALL_BYTES - held)
    accepted, refused = looked_at(submitted)
    assert not refused
    nbformat.writes(copy.deepcopy(read_notebook(accepted["eve"].notebook)))


def test_hostile_exchange_of_a_file_for_a_link_or_a_pipe_is_noticed(tmp_path):
    """After a submission was looked at, its files may become others before they are read."""
    (tmp_path / "link").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="symbolic links"):
        intake.read(tmp_path / "link", 100)
    with pytest.raises(Refused, match="pipe is not an ordinary file"):
        intake.read(tmp_path / "pipe", 100)
