"""What a model is told of tools, and what it gives them. A library, without entry points."""

from .arguments import fitted
from .autorun import Rule, may_hold, may_run, protected_globs, rule_of
from .call_texts import approval_question, format_progress, unknown_tool
from .parameters import Given, Parameters
from .paths import PATH_ARGUMENTS, written
from .protected_paths import ProtectedPath, all_protected, first_protected
from .rare import CALL, FIND, meant, offered

__all__ = [
    "CALL",
    "FIND",
    "PATH_ARGUMENTS",
    "Given",
    "Parameters",
    "ProtectedPath",
    "Rule",
    "all_protected",
    "approval_question",
    "first_protected",
    "fitted",
    "format_progress",
    "may_hold",
    "may_run",
    "meant",
    "offered",
    "protected_globs",
    "rule_of",
    "unknown_tool",
    "written",
]
