"""Validate tool arguments, defer rarely used tools, and find the paths that a call would write.

A library, without entry points.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .autorun import AutorunRule as AutorunRule
    from .autorun import find_rule as find_rule
    from .autorun import protected_globs as protected_globs
    from .call_texts import approval_question as approval_question
    from .call_texts import format_progress as format_progress
    from .call_texts import unknown_tool as unknown_tool
    from .coerce import coerce_arguments as coerce_arguments
    from .deferred_tools import CALL_TOOL as CALL_TOOL
    from .deferred_tools import FIND_TOOL as FIND_TOOL
    from .deferred_tools import resolve_call as resolve_call
    from .deferred_tools import visible_tools as visible_tools
    from .parameters import Parameters as Parameters
    from .parameters import ParsedArguments as ParsedArguments
    from .path_parameters import PATH_PARAMETERS as PATH_PARAMETERS
    from .path_parameters import refusal_of as refusal_of
    from .path_parameters import written_paths as written_paths
    from .protected_paths import ProtectedPath as ProtectedPath
    from .protected_paths import all_protected as all_protected
    from .protected_paths import first_protected as first_protected
