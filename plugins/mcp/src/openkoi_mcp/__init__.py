"""Use MCP servers as plugins that bring tools, and serve OpenKoi to other programs as an MCP server."""
