"""nbgrader's settings for this course. It must stand at the root: JupyterLab's formgrader looks for it there."""

from pathlib import Path

c = get_config()  # noqa: F821 (nbgrader defines it)

# -- where things are ------------------------------------------------------------------------------------------------------------
root = Path(__file__).parent.resolve()
c.CourseDirectory.course_id = "large-batch-training"
c.CourseDirectory.root = str(root)
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks"
c.CourseDirectory.submitted_directory = "autograder/submitted"
c.CourseDirectory.autograded_directory = "autograder/autograded"
c.CourseDirectory.feedback_directory = "autograder/feedback"
c.CourseDirectory.db_url = f"sqlite:///{root}/autograder/gradebook.db"
c.ExportPlugin.to = str(root / "autograder" / "grades.csv")
# A class on several accounts shares one folder instead, writable by all of them: put its path here.
c.Exchange.root = str(root / "autograder" / "exchange")
c.Exchange.assignment_dir = str(root / "work")  # a learner hands in what stands there

# -- release: what the learner sees in the place of an answer --------------------------------------------------------------------
c.ClearSolutions.code_stub = {"python": 'raise NotImplementedError("your turn")'}
c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.LockCells",
    "autograder.preprocessors.ClearSolutions",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
    "autograder.preprocessors.Stamp",
]

# -- autograde: a damaged or slow submission costs only its own points -----------------------------------------------------------
c.Autograde.sanitize_preprocessors = [
    "nbgrader.preprocessors.ClearOutput",
    "autograder.preprocessors.RestoreCells",
]
c.Autograde.autograde_preprocessors = [
    "nbgrader.preprocessors.Execute",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
]
c.Execute.timeout = 120  # seconds a cell; the stock 30 is short for PyTorch on a busy machine
c.Execute.iopub_timeout = 120  # the stock 4 loses whole submissions under load
c.Execute.shutdown_kernel = "immediate"  # nothing is left to save: a quarter to a half faster
# nbgrader gives 0 points for a check that wrote to stderr, even a mere warning. To stdout it costs nothing, also for Validate.
c.Execute.extra_arguments = ["--IPKernelApp.exec_lines=import sys; sys.stderr = sys.stdout"]
# Nobody else on the machine can read or command these kernels. (Transport "ipc" does not do here: its sockets are relative paths,
# and nbgrader and the kernel stand in different folders.)
c.KernelManager.transport_encryption = "auto"

# -- feedback --------------------------------------------------------------------------------------------------------------------
c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "autograder.preprocessors.HideTests",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]
# In nbgrader's pages, those of the formgrader among them, nothing of a submission may run.
c.HTMLExporter.filters = {"markdown2html": "autograder.preprocessors.safe_markdown"}
