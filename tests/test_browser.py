"""A learner's first hour in a real browser: the demo, an exercise, Validate, Run All; a demo that refines its answer; the page of all
demos, in Voilà and in JupyterLab; the formgrader.

The tests share one JupyterLab and one open notebook, as a learner would; each brings the page into the state that it needs. The demo
that refines its answer has a notebook of its own, in a second tab.
SCREENSHOTS=folder keeps a picture of every step.
"""

import os
import random
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median

import nbformat
import pytest
from browser import Lab, NoBrowser, Voila, course_copy, jupyterlab, open_browser, voila
from playwright.sync_api import Browser, Locator, Page, expect

COURSE = Path(__file__).parent.parent
LESSON = "01_global_batch"
DEMO = "demos.global_batch()"
EXERCISE, CHECK = "tokens_per_step", "tokens_per_step_by_hand"
WRONG, MISTAKE = "return num_ranks * micro_batch * accumulation_steps", "these are sequences"
RIGHT, PRAISE = "return num_ranks * micro_batch * accumulation_steps * sequence_length", r"^right: [\d,]+ tokens\s*$"

NOTEBOOK = nbformat.read(COURSE / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
SECONDS = 60  # longest wait for anything on a busy machine


# -- the page ---------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def running(tmp_path_factory) -> Iterator[tuple[Browser, Lab]]:
    """Start a browser and a JupyterLab in a copy of the course."""
    root = course_copy(tmp_path_factory.mktemp("course"), COURSE)
    try:
        with open_browser() as browser, jupyterlab(root) as lab:
            yield browser, lab
    except NoBrowser as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(f"THE BROWSER TESTS DID NOT RUN: {error}")


@pytest.fixture(scope="module")
def page(running) -> Page:
    """Open the lesson in JupyterLab and run all cells."""
    browser, lab = running
    page = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=lab.url).new_page()
    open_notebook(page, lab, f"work/{LESSON}/{LESSON}.ipynb", len(NOTEBOOK.cells))
    return page


def open_notebook(page: Page, lab: Lab, path: str, num_cells: int) -> None:
    """Open a notebook and run all its cells."""
    page.set_default_timeout(SECONDS * 1000)
    expect.set_options(timeout=SECONDS * 1000)
    page.add_locator_handler(page.get_by_role("dialog").filter(has_not_text="Validat"), accept)
    page.goto(lab.page(path))
    expect(page.locator(".jp-Notebook .jp-Cell")).to_have_count(num_cells)
    expect(page.locator(".jp-Notebook-ExecutionIndicator")).to_have_attribute("data-status", "idle")
    keep_screenshot(page, f"opened_{Path(path).stem}")
    prompt = page.locator(".jp-CodeCell .jp-InputPrompt").first
    for _ in range(
        3
    ):  # a kernel that says "idle" may not hear yet: on a slow machine the first call is lost now and then
        choose(page, "Run", "Run All Cells")
        with suppress(AssertionError):
            expect(prompt).not_to_have_text("[ ]:", timeout=10_000)
            return
    pytest.fail(f"{path} does not run")


def accept(dialog: Locator) -> None:
    """Do what a learner does with a question or a notice that covers the page, such as that the kernel restarts."""
    print(f"JupyterLab said: {' '.join(dialog.inner_text().split())}")
    dialog.get_by_role("button").last.click()


@pytest.fixture(autouse=True)
def screenshot_of_failure(request, page, tmp_path) -> Iterator[None]:
    """Save what the browser showed when a test failed, and say where."""
    failed_before = request.session.testsfailed
    yield
    if request.session.testsfailed > failed_before:
        for number, tab in enumerate(page.context.pages):
            tab.screenshot(path=tmp_path / f"failure_{number}.png")
        print(f"screenshots: {tmp_path}")


def keep_screenshot(page: Page, name: str) -> None:
    """Save a picture of the page where the developer asked for it."""
    if folder := os.environ.get("SCREENSHOTS"):
        page.wait_for_timeout(500)  # until it is painted
        page.screenshot(path=Path(folder, f"{name}.png"))


def choose(page: Page, menu: str, item: str) -> None:
    """Choose an item of JupyterLab's menu bar."""
    page.get_by_role("menuitem", name=menu, exact=True).click()
    page.get_by_role("menuitem", name=item, exact=True).click()


def cell(page: Page, *, holding: str = "", named: str = "") -> Locator:
    """Return a cell of the notebook by a text in its source or by its nbgrader name."""
    number = next(
        number
        for number, entry in enumerate(NOTEBOOK.cells)
        if (holding and holding in entry.source) or entry.metadata.get("nbgrader", {}).get("grade_id") == named
    )
    return page.locator(".jp-Notebook .jp-Cell").nth(number)


def run(target: Locator) -> None:
    """Run a cell as a learner does: click into it, Shift + Enter."""
    target.locator(".cm-content").click()
    target.page.keyboard.press("Shift+Enter")


def answer(page: Page, line: str) -> None:
    """Replace the last line of the exercise, run it and then its check."""
    solution = cell(page, named=EXERCISE)
    solution.locator(".cm-line").last.click()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+End")
    page.keyboard.insert_text(line)
    run(solution)
    run(cell(page, named=CHECK))


# -- the learner ------------------------------------------------------------------------------------------------------------


def test_run_all_reaches_the_last_cell_past_unanswered_exercises(page):
    last = max(number for number, entry in enumerate(NOTEBOOK.cells) if entry.cell_type == "code")
    prompt = page.locator(".jp-Notebook .jp-Cell").nth(last).locator(".jp-InputPrompt")
    expect(prompt).to_have_text(re.compile(r"\[\d+\]:"))
    expect(cell(page, named=CHECK).locator(".jp-OutputArea")).to_contain_text("your turn")


def test_demo_by_keyboard(page):
    demo = cell(page, holding=DEMO)
    buttons, sliders, picture = demo.get_by_role("button"), demo.get_by_role("slider"), demo.get_by_role("img")
    option = demo.locator(".jp-OutputArea").get_by_role("button").nth(1)
    expect(option).to_be_visible()
    assert sliders.count() == picture.count() == 0, "the instrument is covered until a prediction is made"
    demo.scroll_into_view_if_needed()
    keep_screenshot(page, "demo_covered")

    demo.locator(".cm-content").focus()
    page.keyboard.press("Escape")
    for _ in range(buttons.count()):  # the buttons of the cell come first
        page.keyboard.press("Tab")
        if option.evaluate("button => button === document.activeElement"):
            break
    expect(option).to_be_focused()
    page.keyboard.press("Enter")
    explanation, reading = demo.get_by_role("status").nth(0), demo.get_by_role("status").nth(1)
    expect(explanation).to_contain_text(f"You predicted: {option.inner_text()}")
    expect(picture).to_have_attribute("alt", re.compile("."))
    expect(reading).to_have_attribute("aria-live", "polite")
    picture.scroll_into_view_if_needed()
    keep_screenshot(page, "demo_uncovered")

    page.keyboard.press("Tab")
    expect(sliders.first).to_be_focused()
    value, text, image = (
        sliders.first.get_attribute("aria-valuenow"),
        reading.inner_text(),
        picture.get_attribute("src"),
    )
    page.keyboard.press("ArrowRight")
    expect(sliders.first).not_to_have_attribute("aria-valuenow", value)
    expect(reading).not_to_have_text(text)
    expect(picture).not_to_have_attribute("src", image)
    keep_screenshot(page, "demo_moved")
    page.keyboard.press("ArrowLeft")
    expect(reading).to_have_text(text)
    expect(picture).to_have_attribute("src", image)


def test_wrong_answer_is_told_its_mistake_and_the_right_one_passes(page):
    output = cell(page, named=CHECK).locator(".jp-OutputArea")
    answer(page, WRONG)
    expect(output).to_contain_text(MISTAKE)
    expect(output).to_contain_text("not yet")
    keep_screenshot(page, "wrong_answer")
    answer(page, RIGHT)
    expect(output).to_have_text(re.compile(PRAISE))
    keep_screenshot(page, "right_answer")


def test_validate_names_the_checks_that_fail(page):
    verdict = re.compile(rf"likely cause\s+{MISTAKE}")
    answer(page, WRONG)
    assert verdict.search(validate(page, "validate_wrong"))
    answer(page, RIGHT)
    report = validate(page, "validate_right")
    assert not verdict.search(report), "this exercise is answered"
    assert "NotImplementedError: your turn" in report, "the others are not"


def validate(page: Page, name: str) -> str:
    """Press Validate, close the dialog and return what it said."""
    page.get_by_role("button", name="Validate").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Validation Results")
    keep_screenshot(page, name)
    report = dialog.inner_text()
    dialog.get_by_role("button", name="Ok").click()
    expect(dialog).to_have_count(0)
    return report


# -- a demo that refines its answer ------------------------------------------------------------------------------------------------

LARGEST, RULE, WARMUP, TARGET, LABEL_NOISE = range(5)  # its sliders
# Resolves with the milliseconds from the next key to the first frame with the picture and the reading that follow it.
NEXT_ANSWER = """() => {
    const output = document.querySelector(".jp-OutputArea")
    const reading = () => output.querySelectorAll("[role=status]")[1].textContent
    const before = reading()
    window.answered = new Promise(resolve => {
        let pressed
        document.addEventListener("keydown", event => { pressed = event.timeStamp }, {capture: true, once: true})
        const observer = new MutationObserver(() => {
            if (pressed === undefined || reading() === before || !reading().includes("Coarse: ")) return
            observer.disconnect()
            output.querySelector("img").decode().then(() => requestAnimationFrame(now => resolve(now - pressed)))
        })
        observer.observe(output, {subtree: true, childList: true, characterData: true})
    })
}"""


@pytest.fixture
def knee(page, running) -> Iterator[Locator]:
    """Show the demo of the knee in a notebook of its own, in a second tab."""
    lab, tab = running[1], page.context.new_page()
    cells = [nbformat.v4.new_code_cell("from largebatch import demos\n\ndemos.knee()")]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), lab.root / "work" / "knee_demo.ipynb")
    open_notebook(tab, lab, "work/knee_demo.ipynb", 1)
    yield tab.locator(".jp-Notebook .jp-Cell")
    tab.close()


def test_knee_answers_every_move_and_refines_the_answer(knee):
    keyboard, output = knee.page.keyboard, knee.locator(".jp-OutputArea")
    sliders, picture, reading = (
        output.get_by_role("slider"),
        output.get_by_role("img"),
        output.get_by_role("status").nth(1),
    )
    output.get_by_role("button").last.focus()
    keyboard.press("Enter")
    expect(output.get_by_role("status").first).to_contain_text("Yes: ")
    coarse = picture.get_attribute("src")
    expect(reading).to_contain_text("Coarse: ")
    expect(reading).to_contain_text("Fine: ")
    expect(picture).not_to_have_attribute("src", coarse)
    picture.scroll_into_view_if_needed()
    keep_screenshot(knee.page, "knee_fine")

    for slider, key in ((LARGEST, "ArrowLeft"), (TARGET, "ArrowLeft"), (RULE, "ArrowLeft"), (RULE, "ArrowRight")):
        text, image = reading.inner_text(), picture.get_attribute("src")
        sliders.nth(slider).press(key)
        expect(reading).not_to_have_text(text)
        expect(picture).not_to_have_attribute("src", image)
        expect(picture).to_have_attribute("alt", re.compile("."))

    milliseconds = []
    for slider in [WARMUP] * 5 + [LABEL_NOISE] * 5:  # each to a setting that was not run before
        sliders.nth(slider).focus()
        knee.page.wait_for_timeout(300)  # the answer to the move before is being refined
        knee.page.evaluate(NEXT_ANSWER)
        keyboard.press("ArrowRight")
        milliseconds.append(knee.page.evaluate("window.answered"))
    print(
        f"knee: from key to picture {median(milliseconds):.0f} ms (median of {len(milliseconds)}, most {max(milliseconds):.0f})"
    )
    assert median(milliseconds) < 1000
    expect(reading).to_contain_text("Fine: ")
    keep_screenshot(knee.page, "knee_moved")


# -- the page of all demos ---------------------------------------------------------------------------------------------------------

NUM_DEMOS = len(re.findall(r"^demos\.\w+\(\)$", (COURSE / "lessons" / "demos.py").read_text(encoding="utf-8"), re.M))

REFINED = "Where do larger batches stop helping?", "A meter for the noise scale"  # demos that refine their answer


@pytest.fixture(scope="module")
def demos_page(page, tmp_path_factory) -> Iterator[tuple[Page, Voila]]:
    """Start the page of all demos as `make demos` does, and open it as soon as its kernel is ready."""
    with voila(COURSE, tmp_path_factory.mktemp("voila")) as server:
        wait_until(lambda: "Kernel pool of demos.ipynb is filled" in server.log.read_text(encoding="utf-8"))
        tab = page.context.new_page()
        tab.set_default_timeout(SECONDS * 1000)
        tab.goto(server.url)
        yield tab, server


def wait_until(holds) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.1)


def every_demo(page: Page) -> list[Locator]:
    """Return the outputs that hold a demo; last those that go on working after an answer, as the others would wait for them."""
    outputs = page.locator(".jp-OutputArea").filter(has=page.get_by_role("button"))
    expect(outputs).to_have_count(NUM_DEMOS)
    return sorted(outputs.all(), key=lambda output: any(title in output.inner_text() for title in REFINED))


def uncover(demo: Locator) -> None:
    """Choose the last prediction by keyboard."""
    option = demo.get_by_role("button").last
    option.focus()
    demo.page.keyboard.press("Enter")
    demo.get_by_role("img").wait_for()
    assert f"You predicted: {option.inner_text()}" in demo.get_by_role("status").first.inner_text()
    assert demo.get_by_role("img").get_attribute("alt")


SHOWN = "demo => demo.querySelector('img').src + demo.querySelectorAll('[role=status]')[1].textContent"


def move(demo: Locator, slider: Locator, *keys: str) -> None:
    """Move a slider of a demo by keyboard, unless it stands there already; picture or reading must change."""
    before, value = demo.evaluate(SHOWN), slider.get_attribute("aria-valuenow")
    for key in keys:
        slider.press(key)
    if slider.get_attribute("aria-valuenow") != value:
        wait_until(lambda: demo.evaluate(SHOWN) != before)


def test_every_demo_in_voila_by_keyboard(demos_page):
    page, server = demos_page
    errors, rng = [], random.Random(0)
    page.on("pageerror", lambda error: errors.append(str(error)))
    expect(page).to_have_title("The demos of the course")
    assert page.locator("h2 a[href*='.ipynb']").count() == 0, "Voilà alone cannot open a lesson"
    for demo in every_demo(page):
        uncover(demo)
        sliders = demo.get_by_role("slider").all()
        # In this order, because some sliders rule others out: momentum moves nothing where the optimizer has none.
        for key, end, order in (("Home", "aria-valuemin", sliders[::-1]), ("End", "aria-valuemax", sliders)):
            for slider in order:
                move(demo, slider, key)
                assert slider.get_attribute("aria-valuenow") == slider.get_attribute(end)
        for slider in rng.sample(sliders, 2):
            move(demo, slider, *["ArrowLeft"] * rng.randint(1, 3))
        keep_screenshot(page, f"voila_{demo.get_by_role('img').get_attribute('alt').split(':')[0]}")
    written = page.inner_text("body") + server.log.read_text(encoding="utf-8")
    assert not re.search("Traceback|[a-z]Error", written) and not errors


def test_kernel_of_a_closed_page_ends_and_one_is_kept_ready(demos_page):
    page, server = demos_page
    wait_until(lambda: server.num_kernels() == 2)
    page.close(run_before_unload=True)
    wait_until(lambda: server.num_kernels() == 1)


def test_every_demo_in_jupyterlab(page, running):
    tab = page.context.new_page()
    notebook = nbformat.read(COURSE / "notebooks" / "demos" / "demos.ipynb", as_version=4)
    open_notebook(tab, running[1], "work/demos/demos.ipynb", len(notebook.cells))
    for demo in every_demo(tab):
        uncover(demo)
        move(demo, demo.get_by_role("slider").first, "ArrowRight")
        keep_screenshot(tab, f"lab_{demo.get_by_role('img').get_attribute('alt').split(':')[0]}")
    tab.close()


def test_page_beside_jupyterlab_leads_to_the_lessons(page, running):
    """As on Binder, where Voilà is an extension of the server of JupyterLab."""
    tab, lab = page.context.new_page(), running[1]
    tab.goto(f"{lab.url}/voila/render/work/demos/demos.ipynb")
    every_demo(tab)
    leads = tab.locator("h2 a[href*='.ipynb']").first.get_attribute("href")
    assert leads == f"{lab.url}/lab/tree/work/00_start_here/00_start_here.ipynb"
    tab.close(run_before_unload=True)


# -- the instructor ---------------------------------------------------------------------------------------------------------


def test_formgrader_lists_the_lessons(page):
    choose(page, "Nbgrader", "Formgrader")
    formgrader = page.frame_locator("iframe")
    for lesson in sorted(path.name for path in (COURSE / "solutions").iterdir()):
        expect(formgrader.get_by_role("row").filter(has_text=lesson)).to_contain_text("draft")
    keep_screenshot(page, "formgrader")
