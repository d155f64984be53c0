"""Search files, and show the lines that match with their files and numbers."""

from collections.abc import Sequence
from itertools import groupby

from openkoi_base.counts import format_count
from openkoi_base.schema.parameters import ParsedArguments
from openkoi_hookspecs import ToolError, ToolResult

from .file_access import FIND_HINT
from .glob import GlobPattern
from .name_hints import suggest_name
from .search_backends import Hit, SearchQuery, search_in_process, search_with_ripgrep
from .symlink_safe_paths import WorkspacePath
from .tool_context import ToolContext, ToolSettings
from .truncate import take_fitting

FOOTER_BYTES = 200
NO_MATCH = "No matches. Try a shorter pattern, literal=true for plain text, or another path"


async def search_files(given: ParsedArguments, context: ToolContext) -> ToolResult:
    """Return the lines that match."""
    refuse_pattern(given.text("pattern"))
    where = await context.run_at(given.text("path", "."), lambda where: resolve_searchable(where, context.settings))
    wanted = SearchQuery(given.text("pattern"), given.flag("literal"), where, GlobPattern(given.text("glob")))
    return ToolResult(format_hits(await run_search(context, wanted), context, where))


async def run_search(context: ToolContext, wanted: SearchQuery) -> list[Hit]:
    """Search with the fastest available means."""
    found = await search_with_ripgrep(wanted, context.run, context.settings)
    return await search_in_process(wanted, context.settings) if found is None else found


def refuse_pattern(pattern: str) -> None:
    """Raise ToolError for a pattern that no line can match."""
    if not pattern:
        raise ToolError("The pattern is empty. Use list_files to see which files there are.")
    if "\0" in pattern or "\n" in pattern:
        raise ToolError(
            "The pattern contains a newline or NUL. Search is line by line: use a pattern that matches within a line."
        )


def resolve_searchable(where: WorkspacePath, settings: ToolSettings) -> WorkspacePath:
    """Return a file or folder that exists."""
    if not where.real.exists():
        raise ToolError(f"Not found: {where.name}.{suggest_name(where, settings.skip) or FIND_HINT}")
    return where


def format_hits(hits: Sequence[Hit], context: ToolContext, where: WorkspacePath) -> str:
    """Return as many hits as there is room for, and record that these lines are known."""
    lines = take_fitting(
        (f"{hit.path}:{hit.line}: {hit.text}" for hit in hits), context.settings.result_bytes - FOOTER_BYTES
    )
    known = hits[: len(lines)]
    for path, group in groupby(known, key=lambda hit: hit.path):
        context.tracker.add_shown(where.root / path, "\n".join(hit.text for hit in group))
    files = len({hit.path for hit in known})
    total = f"{format_count(len(lines), 'line')} in {format_count(files, 'file')}" if lines else NO_MATCH
    more = (
        "; more matches are omitted: narrow the search with path, glob or a longer pattern"
        if len(known) < len(hits)
        else ""
    )
    return "\n".join([*lines, f"[{total}{more}]"])
