"""What of a notebook is run to grade it, and how the outputs come into it."""

import ast

from nbformat import NotebookNode, from_dict
from nbgrader.utils import is_grade, is_solution

from autograder.executor import Executed
from autograder.inside.shell import error_output
from autograder.preprocessors import HIDDEN
from autograder.verdicts import NOT_RUN


def modules(notebook: NotebookNode) -> tuple[str, ...]:
    """Return the names of what a lesson imports, for the warm process; names of functions among them do no harm."""
    found: dict[str, None] = {}
    for cell in notebook.cells:
        for node in ast.walk(tree(cell.source)) if cell.cell_type == "code" else ():
            if isinstance(node, ast.Import):
                found |= {alias.name: None for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module: None} | {f"{node.module}.{alias.name}": None for alias in node.names}
    # PyTorch imports it at the first step of an optimizer, for a second of every submission's time.
    return (*found, *(["torch._dynamo"] if "torch" in found else []))


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
            "check": (is_check := bool(is_grade(cell) and not is_solution(cell))),
            "hidden": bool(is_check and HIDDEN.search(cell.source)),  # in a text made for it, the search takes hours
        }
        for index, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and cell.source.strip()
    ]


def fill(notebook: NotebookNode, done: Executed) -> None:
    """Put the outputs into a notebook. A check without an output has all its points for nbgrader: one that did not run gets an error."""
    for count, cell in enumerate(cells_to_run(notebook), start=1):
        outputs = done.outputs.get(cell["index"])
        if outputs is None:
            outputs = [error_output("NotRun", f"{NOT_RUN}: {done.reason}")]
        target = notebook.cells[cell["index"]]
        target.outputs, target.execution_count = from_dict(outputs), count
        for output in target.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count


def notice(done: Executed) -> str:
    """Return what to say on top of a graded notebook; empty where all went well."""
    said = []
    if done.reason and not done.outputs:
        said.append(f"it could not be graded: {done.reason}.")
    elif done.reason:
        said.append(f"not all of it could be run: {done.reason}. The checks after that have no points.")
    if done.tampered:
        said.append(f"its points wait for a person to look at it, because {'; '.join(done.tampered)}.")
    return " ".join(said)


def seconds_by_name(notebook: NotebookNode, done: Executed) -> dict[str, float]:
    """Return the seconds of the processor that each named cell took."""
    named = {index: cell.metadata.get("nbgrader", {}).get("grade_id") for index, cell in enumerate(notebook.cells)}
    return {named[index]: round(spent, 3) for index, spent in done.seconds.items() if named[index]}
