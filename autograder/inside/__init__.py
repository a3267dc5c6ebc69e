"""What runs inside the sandbox: all of the grader that a submission can see."""


def run(*arguments) -> None:
    """Run a submission: the entry of a child of the forkserver, where `notebook` has been imported (it would replace this process's output)."""
    from autograder.inside import notebook

    notebook.run(*arguments)
