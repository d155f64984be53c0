"""The tool ``search``: the lines that match a pattern, each with its file and number."""

from collections.abc import Sequence
from itertools import groupby

from openkoi_hookspecs import Arguments, Effect, Tool, ToolError, ToolResult
from openkoi_schema import Parameters

from .files import LOOK
from .fit import counted, fitting
from .glob import Glob
from .hints import hint
from .paths import Place
from .seek import Hit, Wanted, by_ourselves, by_ripgrep
from .toolkit import Desk, Settings

PARAMETERS = Parameters(
    {
        "pattern": {"type": "string", "description": "regular expression"},
        "path": {"type": "string", "description": "file or folder"},
        "glob": {"type": "string", "description": "such as *.py"},
        "literal": {"type": "boolean", "description": "the pattern is plain text"},
    },
    required=("pattern",),
)
FOOTER_ROOM = 200
NOTHING = "Nothing matches. Try a shorter pattern, literal=true for plain text, or another path"


def search(desk: Desk) -> Tool:
    """Make the tool for one run."""

    async def call(arguments: Arguments) -> ToolResult:
        given = PARAMETERS.accept(arguments)
        refuse_pattern(given.text("pattern"))
        where = await desk.at(given.text("path", "."), lambda where: searchable(where, desk.settings))
        wanted = Wanted(given.text("pattern"), given.flag("literal"), where, Glob(given.text("glob")))
        return ToolResult(shown(await look(desk, wanted), desk, where))

    return Tool(
        "search",
        "Search the contents of files, line by line. Returns path:line: text.",
        PARAMETERS.schema(),
        call,
        effect=Effect.READS,
        progress_text="Searching {pattern}",
    )


async def look(desk: Desk, wanted: Wanted) -> list[Hit]:
    """Search with the fastest means there is."""
    found = await by_ripgrep(wanted, desk.run, desk.settings)
    return await by_ourselves(wanted, desk.settings) if found is None else found


def refuse_pattern(pattern: str) -> None:
    """Raise for what no line can match."""
    if not pattern:
        raise ToolError("The pattern is empty. Use list_files to see which files there are.")
    if "\0" in pattern or "\n" in pattern:
        raise ToolError(
            "The pattern contains a line break or a NUL. Lines are searched one at a time: pass a part of one line."
        )


def searchable(where: Place, settings: Settings) -> Place:
    """Return a file or folder that exists."""
    if not where.real.exists():
        raise ToolError(f"There is no {where.name}.{hint(where, settings.skip) or LOOK}")
    return where


def shown(hits: Sequence[Hit], desk: Desk, where: Place) -> str:
    """Write the hits down, as many as there is room for, and note that these lines are known now."""
    lines = fitting((f"{hit.path}:{hit.line}: {hit.text}" for hit in hits), desk.settings.result_bytes - FOOTER_ROOM)
    known = hits[: len(lines)]
    for path, group in groupby(known, key=lambda hit: hit.path):
        desk.seen.show(where.root / path, "\n".join(hit.text for hit in group))
    files = len({hit.path for hit in known})
    total = f"{counted(len(lines), 'line')} in {counted(files, 'file')}" if lines else NOTHING
    more = (
        "; more match and are left out: narrow the search with path, glob or a longer pattern"
        if len(known) < len(hits)
        else ""
    )
    return "\n".join([*lines, f"[{total}{more}]"])
