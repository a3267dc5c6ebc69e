"""Everything that grades: nbgrader's preprocessors for this course, trial grading, and the bank of right and wrong answers."""
