"""Where questions wait for an answer, on one machine: in files for all processes, or in this process alone."""

from .file_questions import FileQuestions
from .process_questions import ProcessQuestions

__all__ = ["FileQuestions", "ProcessQuestions"]
