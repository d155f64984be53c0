"""Whatever a model gives a tool, it reads an answer: nothing but a ToolFault is ever raised, and results stay small."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from openkoi_hookspecs import Json, Tool, ToolFault
from openkoi_testing import lend
from openkoi_tools import WorkspaceTools

LIMIT = 24 * 1024
TOOLS = st.sampled_from(["read_file", "list_files", "edit_file", "write_file"])
KNOWN = st.sampled_from(["a.txt", "src", "src/b.bin", "new/c.txt", ".", "..", "a.txt/x", "src/../a.txt"])
PATHS = KNOWN | st.text(max_size=8)
TEXTS = st.sampled_from(["one", "two", "one\ntwo", "x\n" * 20_000]) | st.text(max_size=30)
VALUES = TEXTS | st.integers(-2, 5) | st.none() | st.booleans() | st.floats()
NAMES = st.sampled_from(["start", "end", "depth", "glob", "search", "replace", "all", "content", "overwrite", "pth"])
CALLS = st.lists(st.tuples(TOOLS, PATHS, st.dictionaries(NAMES, VALUES, max_size=4)), min_size=1, max_size=4)


@given(CALLS)
def test_every_call_is_answered(calls: list[tuple[str, str, dict[str, Json]]]) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "src").mkdir()
        (Path(folder) / "a.txt").write_bytes(b"one\r\ntwo\xff\n")
        (Path(folder) / "src/b.bin").write_bytes(bytes(range(256)))

        answers = asyncio.run(answered(Path(folder), calls))

    assert all(0 < len(answer.encode()) <= LIMIT for answer in answers)


async def answered(workspace: Path, calls: list[tuple[str, str, dict[str, Json]]]) -> list[str]:
    """What a model reads of some calls."""
    async with lend(workspace) as run:
        tools = {tool.name: tool for tool in await WorkspaceTools().tools(run)}
        return [await text(tools[name], {"path": path, **arguments}) for name, path, arguments in calls]


async def text(tool: Tool, arguments: dict[str, Json]) -> str:
    """The text of a result or of a fault."""
    fitting = {name: value for name, value in arguments.items() if name in str(tool.parameters)}
    try:
        return (await tool.call(fitting)).text
    except ToolFault as fault:
        return str(fault)
