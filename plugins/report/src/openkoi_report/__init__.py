"""What a run came to, and how it is told, from its records alone: a library for faces, without entry points."""

from .progress import Progress, clipped, dollars, megabytes, plural, tokens_text
from .report import EXITS, Report, report_of

__all__ = ["EXITS", "Progress", "Report", "clipped", "dollars", "megabytes", "plural", "report_of", "tokens_text"]
