"""List the files of a folder, collapsed as far as needed to fit."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from openkoi_base.counts import format_count
from openkoi_base.schema.parameters import ParsedArguments
from openkoi_hookspecs import ToolError, ToolResult
from openkoi_hookspecs.lazy_dataclass import dataclass

from .file_access import FIND_HINT
from .glob import GlobPattern
from .name_hints import suggest_name
from .symlink_safe_paths import WorkspacePath, printable_path
from .tool_context import ToolContext, ToolSettings
from .truncate import take_fitting
from .walk import walk_files

MAX_FILES = 100_000
DEFAULT_DEPTH = 64


@dataclass(frozen=True, slots=True)
class FolderListing:
    """A folder's name, empty for the workspace, and the paths in it, relative to it."""

    name: str
    paths: tuple[str, ...]
    complete: bool = True


async def list_folder(given: ParsedArguments, context: ToolContext) -> ToolResult:
    """Return the files below a folder that match."""
    glob, depth = GlobPattern(given.text("glob")), given.number("depth", DEFAULT_DEPTH)
    found = await context.run_at(given.text("path", "."), lambda where: find_paths(where, glob, context.settings))
    return ToolResult(format_listing(found, depth, context.settings.result_bytes))


def find_paths(where: WorkspacePath, glob: GlobPattern, settings: ToolSettings) -> FolderListing:
    """Return the files below a folder."""
    if not where.real.exists():
        raise ToolError(f"Folder not found: {where.name}.{suggest_name(where, settings.skip) or FIND_HINT}")
    if not where.real.is_dir():
        raise ToolError(f"{where.name} is a file, not a folder. Use read_file.")
    top = "" if where.real == where.root else f"{where.name}/"
    found = [printable_path(path) for path in islice(walk_files(where, settings.skip), MAX_FILES)]
    paths = tuple(name.removeprefix(top) for name in found if glob.matches(name))
    return FolderListing(top, paths, complete=len(found) < MAX_FILES)


def format_listing(folder: FolderListing, depth: int, room: int) -> str:
    """Expand as many levels as fit, at most ``depth`` of them."""
    title = f"{folder.name or 'The working directory'}: {format_count(len(folder.paths), 'file')}"
    if not folder.complete:
        title += f" among the first {MAX_FILES:,}; the others were not listed"
    room -= len(title.encode()) + 100
    for level in range(min(depth, max_depth(folder.paths)), 0, -1):
        lines = [f"{folder.name}{line}" for line in collapse_paths(folder.paths, level)]
        fitting = take_fitting(lines, room)
        if len(fitting) == len(lines) or level == 1:
            return "\n".join([title, *fitting, *omitted_note(len(lines) - len(fitting))])
    return f"{title}."


def max_depth(paths: Iterable[str]) -> int:
    """Return how many levels the deepest path has."""
    return max((path.count("/") + 1 for path in paths), default=0)


def collapse_paths(paths: Sequence[str], level: int) -> list[str]:
    """Return paths; replace those deeper than a level by their folder and its number of files."""
    heads = Counter(path if path.count("/") < level else "/".join(path.split("/")[:level]) + "/" for path in paths)
    return [f"{head} ({format_count(count, 'file')})" if head.endswith("/") else head for head, count in heads.items()]


def omitted_note(count: int) -> list[str]:
    """Return a note about entries that were omitted, if any."""
    return [f"[{count:,} more; narrow the list with path or glob]"] if count else []
