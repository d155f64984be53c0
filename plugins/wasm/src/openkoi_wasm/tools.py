"""The tools of a plugin, as they are offered to a run."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from openkoi_base.isolation import type_error_of
from openkoi_hookspecs import Arguments, KoiError, Run, Tool, ToolError, ToolResult

from .manifest import ToolDeclaration
from .plugin import Adapter


class WasmTools(Adapter):
    """The tools that a manifest declares. They are offered once the plugin is approved."""

    async def tools(self, run: Run) -> Sequence[Tool]:
        """List the tools without compiling the module."""
        if not await self.plugin.consent.ask(run):
            return []
        return [self.tool(one, run) for one in self.plugin.manifest.tools]

    def tool(self, declared: ToolDeclaration, run: Run) -> Tool:
        """Return a tool as models see it; its name begins with that of the plugin."""
        manifest = self.plugin.manifest
        return Tool(
            manifest.full_name(declared.name),
            declared.description,
            dict(declared.parameters),
            partial(self.call, declared.name, run),
            effect=declared.effect,
            progress_text=f"Calling {declared.name} of {manifest.name}",
            deferred=declared.deferred,
        )

    async def call(self, tool: str, run: Run, arguments: Arguments) -> ToolResult:
        """Call a tool of the module."""
        try:
            found = await self.plugin.call("tool", {"tool": tool, "arguments": arguments}, run)
            return self.result(tool, found)
        except ToolError:
            raise
        except KoiError as error:
            raise ToolError(str(error)) from None

    def result(self, tool: str, found: Any) -> ToolResult:
        """Return a result: a text, or an object with ``text`` and the other fields of a result."""
        fields = {"text": found} if isinstance(found, str) else found
        if not isinstance(fields, dict) or fields.keys() - {"text", "failed", "effects"}:
            raise ToolError(f"{self.plugin.manifest.name} returned neither a string nor a result for {tool}.")
        result = ToolResult(
            fields.get("text", ""), failed=fields.get("failed", False), effects=tuple(fields.get("effects") or ())
        )
        if wrong := type_error_of(result, ToolResult):
            raise ToolError(f"{self.plugin.manifest.name} returned an invalid result for {tool}: {wrong}.")
        return result
