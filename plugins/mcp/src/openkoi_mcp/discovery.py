"""Find the MCP servers of a workspace, each as a plugin that brings tools. Every run imports this: no SDK here."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from openkoi_hookspecs import Koi, PluginEntry, SharedSetting

from .json_files import PROJECT_FILE, read_servers, user_file
from .server_config import PluginsTable, ServerConfig, ServerTable

if TYPE_CHECKING:
    from .server_tools import ServerTools

PREFIXES = ("mcp.", "plugins.mcp")
BUNDLE_FILE = "bundle.toml"
MIXED = (
    "The MCP server {0} combines settings from several bundles: {1}. "
    "To use only one of these bundles, disable the others with `openkoi plugin disable NAME`."
)
DEFER_ABOVE = 20  # tools whose schemas are sent with every request; estimate: 150 tokens each
Listed = Mapping[str, ServerTable] | Sequence[ServerTable]


class McpServers:
    """Lists the servers of ``[mcp.servers]``, of the user's shared file and of the project's ``.mcp.json``."""

    def __init__(
        self,
        *,
        servers: Annotated[Listed, SharedSetting("mcp.servers")] = (),
        more: Annotated[Sequence[ServerTable] | PluginsTable, SharedSetting("plugins.mcp")] = (),
        defer_above: Annotated[int, SharedSetting("mcp.defer_above")] = DEFER_ABOVE,
    ) -> None:
        self.own = [*named_tables(servers), *named_tables(more.servers if isinstance(more, PluginsTable) else more)]
        self.defer_above = defer_above

    def discover(self, koi: Koi, workspace: Path) -> Iterable[PluginEntry]:
        """List the servers of a workspace, and the prompts of those that are approved."""
        found = [one for one in self.find(koi, workspace) if one.table.enabled]
        if not found:
            return []
        from .skills import skill_entries

        tools = [self.entry(one, koi, workspace, found) for one in found]
        return [*tools, *skill_entries(found, koi)]

    def find(self, koi: Koi, workspace: Path) -> list[ServerConfig]:
        """Return the servers of a workspace by name; the user's own go before those of shared and project files."""
        found: dict[str, ServerConfig] = {}
        for one in [*self.list_configured(koi), *from_files(koi, workspace)]:
            if one.problem:
                koi.warn(f"The MCP server {one.name!r} in {one.origin} is not used: {one.problem}.")
            else:
                found.setdefault(one.name, one)
        return list(found.values())

    def list_configured(self, koi: Koi) -> Iterator[ServerConfig]:
        """Yield the servers of the configuration, with the file that has them."""
        if not self.own:
            return
        origins = {one.key: one.origin for one in koi.settings(bundles=True) if one.key.startswith(PREFIXES)}
        for name, table in self.own:
            files = [text for key, text in origins.items() if key.startswith(f"mcp.servers.{name}.")]
            if len(bundles := [one for one in dict.fromkeys(files) if one.endswith(BUNDLE_FILE)]) > 1:
                koi.warn(MIXED.format(name, " and ".join(bundles)))
            yield ServerConfig(name, table, (files or [*origins.values(), "the configuration"])[0])

    def entry(self, config: ServerConfig, koi: Koi, workspace: Path, found: Sequence[ServerConfig]) -> PluginEntry:
        """Return a server's entry; it differs for a changed server and for each workspace."""
        place = "" if config.table.url else str(workspace)
        content = json.dumps([config.identity, config.table.timeout, config.table.deferred, place])
        load = partial(self.load, config, koi, workspace, found)
        return PluginEntry(
            "tools", f"mcp-{config.name}", config.origin, load, version=sha256(content.encode()).hexdigest()
        )

    async def load(
        self, config: ServerConfig, koi: Koi, workspace: Path, found: Sequence[ServerConfig]
    ) -> "ServerTools":
        """Make the plugin; the server is started when its tools are first listed."""
        from .server_tools import ServerTools
        from .snapshots import Snapshots

        return ServerTools(config, Snapshots(koi), koi, workspace, many=partial(self.has_many, found, koi))

    def has_many(self, found: Sequence[ServerConfig], koi: Koi) -> bool:
        """Whether the approved servers have more tools than are sent with every request."""
        from .snapshots import Snapshots

        approved = (Snapshots(koi).find_approved(one) for one in found)
        return sum(len(one.tools) for one in approved if one) > self.defer_above


def named_tables(tables: Listed) -> Iterator[tuple[str, ServerTable]]:
    """Yield each table with its name, in either notation."""
    if isinstance(tables, Mapping):
        yield from tables.items()
    else:
        yield from ((one.name, one) for one in tables)


def from_files(koi: Koi, workspace: Path) -> Iterator[ServerConfig]:
    """Yield the servers of the shared file of the user, then those of the project; warn about unusable ones."""
    for file, project in ((user_file(), False), (workspace / PROJECT_FILE, True)):
        servers, warnings = read_servers(file, project=project)
        for warning in warnings:
            koi.warn(warning)
        yield from servers
