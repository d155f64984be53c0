"""The tool ``apply_patch``: changes to several files at once, all of them or none."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from openkoi_hookspecs import Arguments, Effect, Tool, ToolError, ToolResult
from openkoi_schema import Parameters

from .drafts import Draft, Target, drafted
from .fit import counted, fitting
from .hunks import FilePatch
from .patch import parsed
from .together import put
from .toolkit import Desk

PARAMETERS = Parameters({"patch": {"type": "string"}}, required=("patch",))
DESCRIPTION = """\
Change several files at once, all of them or none. Takes a unified diff, or the format below. Files that it changes \
or deletes must have been read. Line numbers are hints; context lines must match the file exactly. To rename a file, \
write *** Move to: PATH below *** Update File:. Example:
*** Begin Patch
*** Update File: src/a.py
@@ def f():
-    return 1
+    return 2
*** Add File: src/b.py
+VALUE = 2
*** Delete File: src/old.py
*** End Patch"""
TITLE_ROOM = 100
UNCHANGED = "Nothing was changed."


def apply_patch(desk: Desk) -> Tool:
    """Make the tool for one run."""

    async def call(arguments: Arguments) -> ToolResult:
        patches = parsed(PARAMETERS.accept(arguments).text("patch"))
        return ToolResult(await asyncio.to_thread(patched, desk, patches))

    return Tool(
        "apply_patch",
        DESCRIPTION,
        PARAMETERS.schema(),
        call,
        effect=Effect.WRITES,
        local=True,
        progress_text="Applying a patch",
        deferred=True,
        written_paths=written,
    )


def written(arguments: Arguments) -> Sequence[str]:
    """The paths that a patch would write to, take away or move to."""
    patches = parsed(PARAMETERS.accept(arguments).text("patch"))
    return [path for patch in patches for path in (patch.before, patch.after) if path]


def patched(desk: Desk, patches: Sequence[FilePatch]) -> str:
    """Check all files, then change all of them, alone with them, and say what was done."""
    targets = [target_of(desk, patch) for patch in patches]
    refuse_twice(targets)
    with alone(desk, {where.real for target in targets for where in (target.before, target.after)}):
        drafts = [checked(desk, target) for target in targets]
        put([step for draft in drafts for step in draft.steps])
        for draft in drafts:
            draft.learn()
    return report([draft.said for draft in drafts], desk.settings.result_bytes - TITLE_ROOM)


def report(said: Sequence[str], room: int) -> str:
    """Say what was done, as much of it as there is room for."""
    shown = fitting(said, room)
    title = [f"Patched {counted(len(said), 'file')}:"] if len(said) > 1 else []
    left = [f"[and {len(said) - len(shown)} more]"] if len(shown) < len(said) else []
    return "\n".join([*title, *shown, *left])


def target_of(desk: Desk, patch: FilePatch) -> Target:
    """Find the places of a patch's file."""
    before = desk.told(patch.before or patch.after, lambda where: where)
    after = desk.told(patch.after or patch.before, lambda where: where)
    if patch.before != patch.after and patch.before and (desk.run.workspace / patch.before).is_symlink():
        raise ToolError(f"{patch.before} is a link, which is not moved or deleted by a patch. Use run_command.")
    return Target(patch, before, after)


def refuse_twice(targets: Sequence[Target]) -> None:
    """Raise when a file occurs more than once."""
    met: set[Path] = set()
    for target in targets:
        places = {target.before.real, target.after.real}
        if met & places:
            raise ToolError(f"{target.before.name} is in the patch twice. Put all of its hunks under one header.")
        met |= places


@contextmanager
def alone(desk: Desk, paths: set[Path]) -> Iterator[None]:
    """Hold the locks of some files, always taken in the same order."""
    with ExitStack() as held:
        for path in sorted(paths):
            held.enter_context(desk.locks.of(path))
        yield


def checked(desk: Desk, target: Target) -> Draft:
    """Check one file; a fault says that nothing was changed."""
    try:
        return desk.told(target.patch.before or target.patch.after, lambda _: drafted(desk, target))
    except ToolError as fault:
        raise ToolError(f"{fault}\n{UNCHANGED}") from None
