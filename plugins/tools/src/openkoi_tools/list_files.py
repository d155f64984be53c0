"""The tool ``list_files``: what is in a folder, folded together as far as it takes to fit, with nothing unmentioned."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from openkoi_hookspecs import Arguments, Effect, Tool, ToolError, ToolResult
from openkoi_schema import Parameters

from .files import LOOK
from .fit import counted, fitting
from .glob import Glob
from .hints import hint
from .paths import Place, spelled
from .toolkit import Desk, Settings
from .walk import walk

PARAMETERS = Parameters(
    {
        "path": {"type": "string", "description": "folder"},
        "glob": {"type": "string", "description": "such as src/**/*.ts"},
        "depth": {"type": "integer", "minimum": 1, "description": "folder levels to show"},
    }
)
MOST_FILES = 100_000
ANY_DEPTH = 64


def list_files(desk: Desk) -> Tool:
    """Make the tool for one run."""

    async def call(arguments: Arguments) -> ToolResult:
        given = PARAMETERS.accept(arguments)
        glob, depth = Glob(given.text("glob")), given.number("depth", ANY_DEPTH)
        found = await desk.at(given.text("path", "."), lambda where: look(where, glob, desk.settings))
        return ToolResult(listing(found, depth, desk.settings.result_bytes))

    return Tool(
        "list_files",
        "List files below a folder, without git-ignored ones. Folders that do not fit show their number of files.",
        PARAMETERS.schema(),
        call,
        effect=Effect.READS,
        progress_text="Listing {path}",
    )


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder's name, empty for the workspace, and the paths in it, relative to it."""

    name: str
    paths: tuple[str, ...]
    complete: bool = True


def look(where: Place, glob: Glob, settings: Settings) -> Folder:
    """Find the files below a folder."""
    if not where.real.exists():
        raise ToolError(f"There is no folder {where.name}.{hint(where, settings.skip) or LOOK}")
    if not where.real.is_dir():
        raise ToolError(f"{where.name} is a file, not a folder. Use read_file.")
    top = "" if where.real == where.root else f"{where.name}/"
    found = [spelled(path) for path in islice(walk(where, settings.skip), MOST_FILES)]
    paths = tuple(name.removeprefix(top) for name in found if glob.takes(name))
    return Folder(top, paths, complete=len(found) < MOST_FILES)


def listing(folder: Folder, depth: int, room: int) -> str:
    """Unfold as many levels as fit, at most ``depth`` of them."""
    title = f"{folder.name or 'The working directory'}: {counted(len(folder.paths), 'file')}"
    if not folder.complete:
        title += f" among the first {MOST_FILES:,}; the others were not looked at"
    room -= len(title.encode()) + 100
    for level in range(min(depth, deepest(folder.paths)), 0, -1):
        lines = [f"{folder.name}{line}" for line in folded(folder.paths, level)]
        shown = fitting(lines, room)
        if len(shown) == len(lines) or level == 1:
            return "\n".join([title, *shown, *left_out(len(lines) - len(shown))])
    return f"{title}."


def deepest(paths: Iterable[str]) -> int:
    """Return how many levels the deepest path has."""
    return max((path.count("/") + 1 for path in paths), default=0)


def folded(paths: Sequence[str], level: int) -> list[str]:
    """Return paths, those deeper than a level as their folder and how many there are in it."""
    heads = Counter(path if path.count("/") < level else "/".join(path.split("/")[:level]) + "/" for path in paths)
    return [f"{head} ({counted(count, 'file')})" if head.endswith("/") else head for head, count in heads.items()]


def left_out(count: int) -> list[str]:
    """Say how many entries were left out, if any were."""
    return [f"[{count:,} more; narrow the list with path or glob]"] if count else []
