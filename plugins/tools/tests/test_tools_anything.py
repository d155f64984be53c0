"""Test that any arguments lead to an answer: only ToolError is raised, and results stay small."""

import asyncio
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from openkoi_hookspecs import Json, Tool, ToolError
from openkoi_testing import make_run
from openkoi_tools import WorkspaceTools
from openkoi_tools.patch import parse_patch

LIMIT = 24 * 1024
TOOLS = st.sampled_from(["read_file", "list_files", "edit_file", "write_file", "apply_patch", "ask_user"])
KNOWN = st.sampled_from(["a.txt", "src", "src/b.bin", "new/c.txt", ".", "..", "a.txt/x", "src/../a.txt"])
PATHS = KNOWN | st.text(max_size=8)
TEXTS = st.sampled_from(["one", "two", "one\ntwo", "x\n" * 20_000]) | st.text(max_size=30)
PARTS = ["--- a/a.txt", "+++ b/a.txt", "+++ /dev/null", "@@ -1 +1 @@", "@@", " one", "-one", "+1", "\\ No newline"]
ORDERS = ["*** Begin Patch", "*** Update File: a.txt", "*** Add File: n", "*** Delete File: a.txt", "*** Move to: n"]
GIT = ["diff --git a/a.txt b/a.txt", "rename from a.txt", "rename to n", "new mode 100755", "new file mode 100644"]
PATCHES = st.lists(st.sampled_from([*PARTS, *ORDERS, *GIT]), max_size=12).map("\n".join)
VALUES = TEXTS | st.lists(TEXTS, max_size=2) | st.integers(-2, 5) | st.none() | st.booleans() | st.floats()
NAMES = st.sampled_from(
    ["start", "end", "depth", "glob", "search", "replace", "all", "content", "overwrite", "pth", "question", "choices"]
)
ARGUMENTS = st.dictionaries(NAMES, VALUES, max_size=4) | PATCHES.map(lambda patch: {"patch": patch})
CALLS = st.lists(st.tuples(TOOLS, PATHS, ARGUMENTS), min_size=1, max_size=4)


@given(PATCHES)
def test_every_patch_is_read_or_refused(patch: str) -> None:
    with suppress(ToolError):
        assert parse_patch(patch)


@given(CALLS)
def test_every_call_is_answered(calls: list[tuple[str, str, dict[str, Json]]]) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "src").mkdir()
        (Path(folder) / "a.txt").write_bytes(b"one\r\ntwo\xff\n")
        (Path(folder) / "src/b.bin").write_bytes(bytes(range(256)))

        answers = asyncio.run(answered(Path(folder), calls))

    assert all(0 < len(answer.encode()) <= LIMIT for answer in answers)


async def answered(workspace: Path, calls: list[tuple[str, str, dict[str, Json]]]) -> list[str]:
    """The texts that a model reads for some calls."""
    async with make_run(workspace) as run:
        tools = {tool.name: tool for tool in await WorkspaceTools().tools(run)}
        return [await text(tools[name], {"path": path, **arguments}) for name, path, arguments in calls]


async def text(tool: Tool, arguments: dict[str, Json]) -> str:
    """The text of a result or an error."""
    fitting = {name: value for name, value in arguments.items() if name in str(tool.parameters)}
    try:
        return (await tool.call(fitting)).text
    except ToolError as fault:
        return str(fault)
