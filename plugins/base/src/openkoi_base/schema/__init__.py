"""Validate tool arguments, defer rarely used tools, and find the paths that a call would write.

A library, without entry points.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .autorun import AutorunRule, find_rule, protected_globs
    from .call_texts import approval_question, format_progress, unknown_tool
    from .coerce import coerce_arguments
    from .deferred_tools import CALL_TOOL, FIND_TOOL, resolve_call, visible_tools
    from .parameters import Parameters, ParsedArguments
    from .path_parameters import PATH_PARAMETERS, refusal_of, written_paths
    from .protected_paths import ProtectedPath, all_protected, first_protected

__all__ = [
    "CALL_TOOL",
    "FIND_TOOL",
    "PATH_PARAMETERS",
    "AutorunRule",
    "Parameters",
    "ParsedArguments",
    "ProtectedPath",
    "all_protected",
    "approval_question",
    "coerce_arguments",
    "find_rule",
    "first_protected",
    "format_progress",
    "protected_globs",
    "refusal_of",
    "resolve_call",
    "unknown_tool",
    "visible_tools",
    "written_paths",
]
