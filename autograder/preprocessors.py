"""What this course changes in nbgrader's pipelines; nbgrader_config.py says where each class is used.

release     ClearSolutions, Stamp
autograde   RestoreCells, before nbgrader looks at the submission
feedback    HideTests; and safe_markdown, for the formgrader, too
"""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

import bleach
import nbformat
from nbconvert.filters import markdown2html
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.preprocessors import ClearSolutions as NbgraderClearSolutions
from nbgrader.preprocessors import NbGraderPreprocessor

STUB = re.compile(r"### BEGIN SOLUTION +(\S.*)")
HIDDEN = re.compile(r"^[^\n]*### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS[^\n]*\n?", re.M | re.S)

# What prose may consist of. An image is part of the page: another one would tell its server who reads it.
TAGS = {
    *bleach.ALLOWED_TAGS,
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "div", "span", "pre", "sub", "sup", "del", "img"),
    *("details", "summary", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "caption"),
}
ATTRIBUTES = {
    "*": ["class", "id", "title", "align", "open", "start"],
    "a": ["href"],
    "img": lambda _tag, name, value: (
        name in ("alt", "width", "height") or (name == "src" and value.startswith("data:image/png"))
    ),
}


# -- release ---------------------------------------------------------------------------------------------------------------------


class ClearSolutions(NbgraderClearSolutions):
    """Replace each solution by the stub that follows its BEGIN SOLUTION mark, or by the usual one where nothing follows."""

    def preprocess_cell(self, cell, resources, cell_index):
        own_stub = STUB.search(cell.source)
        usual = self.code_stub
        try:
            if own_stub:
                self.code_stub = {**usual, "python": own_stub[1]}
            return super().preprocess_cell(cell, resources, cell_index)
        finally:
            self.code_stub = usual


def version(notebook: nbformat.NotebookNode) -> str:
    """Return a hash of everything in the notebook except the version it carries itself."""
    plain = json.loads(nbformat.writes(notebook))
    plain["metadata"].get("largebatch", {}).pop("version", None)
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:16]


def stamp(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Write the notebook's version into its metadata: it tells an untouched notebook from an edited one, and old from new."""
    notebook.metadata["largebatch"]["version"] = version(notebook)
    return notebook


def is_untouched(path: Path) -> bool:
    """Tell whether a generated notebook is still as the build wrote it."""
    try:
        notebook = nbformat.read(path, as_version=4)
        return notebook.metadata["largebatch"]["version"] == version(notebook)
    except Exception:  # a folder, not JSON, not a notebook, from the future: nbformat has no common class for these
        return False


class Stamp(NbGraderPreprocessor):
    """Stamp a released notebook with its version; the last step of the release."""

    def preprocess(self, nb, resources):
        return stamp(nb), resources


# -- autograde -------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Release:
    """What of a released notebook is in the gradebook; roles (nbgrader's metadata) and sources of its cells by name."""

    kernelspec: dict
    roles: dict[str, dict]
    sources: dict[str, str]


def released(db_url: str, assignment: str, name: str) -> Release:
    """Read the release of a notebook from the gradebook."""
    with Gradebook(db_url) as gradebook:
        notebook = gradebook.find_notebook(name, assignment)
        points = {cell.name: cell.max_score for cell in notebook.grade_cells}
        solutions = {cell.name for cell in notebook.solution_cells}
        roles = {
            cell.name: {
                "schema_version": 3,
                "grade_id": cell.name,
                "grade": cell.name in points,
                "solution": cell.name in solutions,
                "task": False,
                "locked": cell.locked,
                "checksum": cell.checksum,
                "cell_type": cell.cell_type,
                **({"points": points[cell.name]} if cell.name in points else {}),
            }
            for cell in notebook.source_cells
        }
        return Release(
            json.loads(notebook.kernelspec), roles, {cell.name: cell.source for cell in notebook.source_cells}
        )


class RestoreCells(NbGraderPreprocessor):
    """Give a submission back what is the release's: the roles, points and types of its cells, the text of checks, the kernel.

    In the place of four steps of nbgrader's, with two differences. A damaged notebook costs only its own points: a copied cell loses its
    role (the last copy keeps it), and checks that were deleted are put back at the end, after everything they could need. And the release
    is read from the gradebook once for many submissions where `resources` brings it, as `release`.
    """

    def preprocess(self, nb, resources):
        names = resources["nbgrader"]
        release = names.get("release") or released(names["db_url"], names["assignment"], names["notebook"])
        nb.metadata.kernelspec = nbformat.from_dict(release.kernelspec)
        missing = dict(release.roles)
        for cell in reversed(nb.cells):
            marked = cell.metadata.pop("nbgrader", None)
            name = marked.get("grade_id") if isinstance(marked, dict) else None
            role = missing.pop(name, None) if isinstance(name, str) else None
            if role is not None:
                restore(cell, role, release.sources[name])
        for name, role in missing.items():
            if role["grade"]:
                self.log.warning("The check '%s' was deleted in the submission and is put back at its end", name)
                nb.cells += [put_back_notice(), put_back_cell(role, release.sources[name])]
        return nb, resources


def restore(cell: nbformat.NotebookNode, role: dict, source: str) -> None:
    """Give a cell back its role and type and, unless it holds an answer, its text."""
    cell.metadata["nbgrader"] = nbformat.from_dict(role)
    if not role["solution"]:
        cell.source = source
    if cell.cell_type != role["cell_type"]:
        cell.cell_type = role["cell_type"]
        for key in ("attachments", "outputs", "execution_count"):
            cell.pop(key, None)
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)


def put_back_notice() -> nbformat.NotebookNode:
    """Return the prose cell that tells the learner why a check stands at the end of the feedback."""
    return nbformat.v4.new_markdown_cell(
        "*The next cell was missing from the submission. It was put back to be graded.*"
    )


def put_back_cell(role: dict, source: str) -> nbformat.NotebookNode:
    """Return a released cell as it was in the release."""
    new_cell = nbformat.v4.new_code_cell if role["cell_type"] == "code" else nbformat.v4.new_markdown_cell
    return new_cell(source, metadata=nbformat.from_dict({"nbgrader": role}))


# -- feedback --------------------------------------------------------------------------------------------------------------------


class HideTests(NbGraderPreprocessor):
    """Cut hidden tests out of the feedback page and keep what they said.

    Of a cell with hidden tests only the message of its error is kept: a traceback shows the lines around the failure, and what is printed
    there was printed while the tests could be read. An output elsewhere that repeats a line of them is left out.
    """

    def preprocess(self, nb, resources):
        hidden = {line for cell in nb.cells if utils.is_grade(cell) for line in hidden_lines(cell.source)}
        for cell in nb.cells:
            if utils.is_grade(cell) and HIDDEN.search(cell.source):
                cell.source = HIDDEN.sub("# (hidden checks ran here)\n", cell.source).rstrip()
                cell.outputs = [output for output in cell.outputs if output.output_type == "error"]
                for output in cell.outputs:
                    output.traceback = [f"{output.ename}: {output.evalue}"]
            elif cell.cell_type == "code":
                cell.outputs = [output for output in cell.outputs if not repeats(output, hidden)]
        return nb, resources


def hidden_lines(source: str) -> set[str]:
    """Return the lines of the hidden tests in a check that are long enough to tell."""
    lines = (line.strip() for part in HIDDEN.findall(source) for line in part.splitlines())
    return {line for line in lines if len(line) > 15 and not line.startswith("###")}


def repeats(output: nbformat.NotebookNode, lines: set[str]) -> bool:
    """Tell whether an output holds one of these lines."""
    text = json.dumps(output, ensure_ascii=False)
    return any(json.dumps(line, ensure_ascii=False)[1:-1] in text for line in lines)


def safe_markdown(source: str) -> str:
    """Return the HTML of a prose cell without what a reader's browser would run or fetch: the prose of a submission may hold anything."""
    return bleach.clean(markdown2html(source), TAGS, ATTRIBUTES, protocols={"http", "https", "mailto", "data"})
