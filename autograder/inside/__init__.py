"""What runs inside the sandbox: all of the grader that a submission can see."""

from pathlib import Path


def run(*arguments) -> None:
    """Run a submission: the entry of a child of the forkserver, where `notebook` has been imported (it would replace this process's output)."""
    from autograder.inside import notebook

    notebook.run(*arguments)


def unpack(files: dict[str, str]) -> None:
    """Write what a submission needs beside it, by name, hexadecimal, into this folder."""
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(bytes.fromhex(content))
