"""The gate: a verdict on each call of our tool. It reads the list off the tool itself, so that there is one list."""

from openkoi_hookspecs import Deny, Permission, Tool, ToolCall, ToolError, hookimpl

from .fetch_url import FetchUrl
from .wanted import wanted


class FetchGate:
    """Ask before a page is fetched from a host that nobody listed. It has no settings of its own."""

    @hookimpl
    def before_tool(self, call: ToolCall, tool: Tool) -> Permission | None:
        """Say what holds for a call; None when it is another tool's."""
        if not isinstance(tool.call, FetchUrl):
            return None
        try:
            return tool.call.judged(wanted(call.arguments))
        except ToolError as fault:
            return Deny(str(fault))
