"""Check the permission of each call of ``fetch_url``, against the list of hosts that the tool itself uses."""

from openkoi_hookspecs import Deny, Permission, Tool, ToolCall, ToolError, hookimpl

from .fetch_url import FetchUrl
from .request_args import parse_request


class FetchGate:
    """Ask before fetching from a host that is not listed; it has no settings."""

    @hookimpl
    def before_tool(self, call: ToolCall, tool: Tool) -> Permission | None:
        """Return the permission of a call; None if it is another tool's."""
        if not isinstance(tool.call, FetchUrl):
            return None
        try:
            return tool.call.check_permission(parse_request(call.arguments))
        except ToolError as fault:
            return Deny(str(fault))
