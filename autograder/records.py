"""Records of what was graded, autograder/records/<lesson>.jsonl: by them a run that was interrupted goes on where it stopped."""

import json

from autograder.course import Course
from autograder.intake import Submission


class Records:
    """What was graded, one line of JSON each: student, hashes of submission and release, what went wrong, seconds of each cell."""

    def __init__(self, course: Course):
        self.path = course.root / "autograder" / "records" / f"{course.lesson}.jsonl"
        self.path.parent.mkdir(exist_ok=True)
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        self.last = {record["student"]: record for record in filter(None, map(parsed, lines))}

    def add(self, record: dict) -> None:
        """Append a record; what comes before it is never touched."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self.last[record["student"]] = record


def parsed(line: str) -> dict | None:
    """Return a record; None for a line that was cut off when the power was."""
    try:
        return json.loads(line)
    except ValueError:
        return None


def is_graded(submission: Submission, course: Course, records: Records, in_gradebook: set[str]) -> bool:
    """Tell whether a submission, as it is now, was graded with the release, as it is now."""
    last = records.last.get(submission.student, {})
    same = (last.get("submission"), last.get("release")) == (submission.sha256, course.version)
    return same and submission.student in in_gradebook and course.graded(submission.student).exists()
