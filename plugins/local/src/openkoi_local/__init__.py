"""Store pending questions and the costs of a day on one machine: for all processes of a user, or for this one alone."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .file_budget import FileBudget
    from .file_questions import FileQuestions
    from .process_budget import ProcessBudget
    from .process_questions import ProcessQuestions

__all__ = ["FileBudget", "FileQuestions", "ProcessBudget", "ProcessQuestions"]
