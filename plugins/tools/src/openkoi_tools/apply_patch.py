"""Define the tool ``apply_patch``, which changes several files at once, all of them or none."""

import asyncio
from collections.abc import Sequence

from openkoi_base.schema.parameters import Parameters
from openkoi_hookspecs import Arguments, Effect, Tool, ToolResult

from .tool_context import ToolContext

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


def apply_patch(context: ToolContext) -> Tool:
    """Return the tool for one run."""

    async def call(arguments: Arguments) -> ToolResult:
        from .patch import parse_patch
        from .patch_files import apply_patches

        patches = parse_patch(PARAMETERS.accept(arguments).text("patch"))
        return ToolResult(await asyncio.to_thread(apply_patches, context, patches))

    return Tool(
        "apply_patch",
        DESCRIPTION,
        PARAMETERS.to_schema(),
        call,
        effect=Effect.WRITES,
        local=True,
        progress_text="Applying a patch",
        deferred=True,
        written_paths=patched_paths,
    )


def patched_paths(arguments: Arguments) -> Sequence[str]:
    """Return the paths that a patch would write, delete or move to."""
    from .patch import parse_patch

    patches = parse_patch(PARAMETERS.accept(arguments).text("patch"))
    return [path for patch in patches for path in (patch.before, patch.after) if path]
