"""The gate: a verdict on each call of our tool. It reads the list off the tool itself, so that there is one list."""

from openkoi_hookspecs import Deny, Permission, Tool, ToolCall, ToolError, hookimpl

from .fetch_url import FetchUrl
from .wanted import parse_request


class FetchGate:
    """Ask before fetching from a host that is not listed; it has no settings."""

    @hookimpl
    def before_tool(self, call: ToolCall, tool: Tool) -> Permission | None:
        """Say what holds for a call; None when it is another tool's."""
        if not isinstance(tool.call, FetchUrl):
            return None
        try:
            return tool.call.check_permission(parse_request(call.arguments))
        except ToolError as fault:
            return Deny(str(fault))
