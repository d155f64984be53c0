"""Store pending questions and the costs of a day on one machine: for all processes of a user, or for this one alone."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .daily_budget_in_files import FileBudget as FileBudget
    from .daily_budget_in_process import ProcessBudget as ProcessBudget
    from .file_questions import FileQuestions as FileQuestions
    from .process_questions import ProcessQuestions as ProcessQuestions
