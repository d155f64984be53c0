"""Define ``openkoi mcp``: the servers that OpenKoi uses, and OpenKoi as a server."""

import asyncio
import json
import shlex
import shutil
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from openkoi_base.grants import revoke_command
from openkoi_base.printable import escaped_line, indent_further
from openkoi_base.terminal import require_prompt
from openkoi_hookspecs import YES, Json, Koi, KoiError, PluginNotFoundError, is_yes

from .definition_text import show_all, summarize
from .definitions import count
from .discovery import McpServers
from .json_files import table_of
from .server_config import ServerConfig
from .snapshots import Snapshots, explain_why, start_question

if TYPE_CHECKING:
    from .server_tools import ServerTools

ADDED = "Added {0} to {1}. To let OpenKoi call its tools, run `openkoi mcp approve {0}`."
EXISTS = (
    "An MCP server named {0} already exists. To replace it, run `openkoi mcp remove {0}` first. To change one of its "
    "settings, run `openkoi config set mcp.servers.{0}.args '[...]'`."
)
NOT_FOUND = "Command not found: {}. Install it first. To run these words as a task, run `openkoi {}`."
SERVERS = "mcp.servers"
SCHEMA = "openkoi.mcp/1"
ALLOW_ALL = "Allow OpenKoi to use all of this? (v shows full descriptions and schemas) [y/N/v]"


@click.group()
def mcp() -> None:
    """List, add, approve and test MCP servers, or serve OpenKoi as one."""


@mcp.command("list")
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_obj
async def list_servers(koi: Koi, /, layout: str) -> None:
    """List the MCP servers of this folder: your own, shared servers, and those of the project."""
    found = (await source_of(koi)).find(koi, koi.workspace)
    for warning in koi.warnings():
        click.echo(f"! {indent_further(koi.redact(warning))}", err=True)
    if layout == "json":
        click.echo(koi.redact(json.dumps({"schema": SCHEMA, "servers": [server_to_json(one, koi) for one in found]})))
        return
    width = max((len(one.name) for one in found), default=0)
    for one in found:
        click.echo(koi.redact(f"{one.name:<{width}}  {state_of(one, koi):<20}  {escaped_line(one.command_line)}"))
        click.echo(f"{'':<{width}}  {'':<20}  {one.origin}")
    if not found:
        click.echo("No MCP servers. To add one, run `openkoi mcp add NAME COMMAND`.")


@mcp.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--url", default="", help="Connect to this URL instead of starting a command.")
@click.option(
    "--transport", type=click.Choice(["stdio", "http", "sse"]), help="Protocol. [default: stdio, or http with --url]"
)
@click.option(
    "--env", metavar="NAME=VALUE", multiple=True, help="Set an environment variable of the server; ${NAME} is expanded."
)
@click.option("--header", metavar="NAME=VALUE", multiple=True, help="Send this HTTP header with each request.")
@click.argument("name")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
async def add(
    koi: Koi,
    /,
    name: str,
    command: Sequence[str],
    url: str,
    transport: str | None,
    env: Sequence[str],
    header: Sequence[str],
) -> None:
    """Add an MCP server to your config file. Options come before its name.

    File names are saved as absolute paths, because each task starts the server in its own folder.
    """
    if option := next((one for one in (name, *command[:1]) if one.startswith("-")), ""):
        raise click.UsageError(f"No such option: {option}. Options come before the name of the server.")
    if bool(command) == bool(url):
        raise click.UsageError("Give either a command or --url.")
    words = [full_path(word) for word in command]
    require_program(words, name)
    table: dict[str, Json] = {"url": url} if url else {"command": words[0], "args": [*words[1:]]}
    table |= {"transport": transport} if transport else {}
    table |= {key: split_pairs(pairs) for key, pairs in (("env", env), ("headers", header)) if pairs}
    if problem := ServerConfig(name, table_of(table), "").problem:
        raise click.UsageError(f"The MCP server {name!r} cannot be added: {problem}.")
    listed = koi.setting(SERVERS, list, [])
    if name in configured_names(koi):
        raise KoiError(EXISTS.format(name))
    file = koi.set_setting(SERVERS, [*listed, {"name": name, **table}]) if listed else set_table(koi, name, table)
    click.echo(ADDED.format(name, file))


def require_program(words: Sequence[str], name: str) -> None:
    """Raise UsageError if a command's program is not installed: the arguments may be a task."""
    if words and "${" not in words[0] and not shutil.which(Path(words[0]).expanduser()):
        raise click.UsageError(NOT_FOUND.format(words[0], shlex.quote(" ".join(("mcp add", name, *words)))))


def full_path(word: str) -> str:
    """Return the full path of a file; any other word as it is."""
    path = Path(word)
    return word if path.is_absolute() or not path.is_file() else str(path.parent.resolve() / path.name)


@mcp.command()
@click.argument("name")
@click.pass_obj
async def remove(koi: Koi, /, name: str) -> None:
    """Remove an MCP server from your config file. If you add it again, it needs a new approval."""
    listed = koi.setting(SERVERS, list, [])
    if name not in configured_names(koi):
        (found,) = await servers_of(koi, [name])
        raise KoiError(f"{name} is not in your config file: it comes from {found.origin}. Remove it there.")
    for config in (await source_of(koi)).list_configured(koi):
        if config.name == name:
            Snapshots(koi).forget(config)
    kept = [one for one in listed if one.get("name") != name]
    file = koi.set_setting(SERVERS, kept) if listed else set_table(koi, name, None)
    click.echo(f"Removed {name} from {file}.")


@mcp.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--yes", is_flag=True, help="Approve without asking.")
@click.pass_obj
async def approve(koi: Koi, /, names: Sequence[str], yes: bool) -> None:
    """Show what MCP servers offer, and approve them. A server that changes needs approval again."""
    if not yes:
        require_prompt(sys.stdout)
    source = await source_of(koi)
    for config in await servers_of(koi, names):
        start = start_question(config)
        if not (yes or may_start(config, koi) or click.confirm(koi.redact(start.text))):
            continue
        koi.keep_consent(start, YES)
        async with open_server(source, config, koi) as server:
            found = await server.list_definitions(await server.connection.client())
        snapshots = Snapshots(koi)
        before = snapshots.read_other(config, found)
        click.echo(koi.redact("\n".join(summarize(config, found, before))))
        if yes or confirm_all(koi.redact("\n".join(show_all(config, found)))):
            koi.keep_consent(snapshots.question(config, found), YES)
            snapshots.keep(config, found)
            command = revoke_command(koi, found.digest(config))
            click.echo(f"Approved {config.name}. To undo this, run `{command}`.")


@mcp.command()
@click.option("--all", "every_tool", is_flag=True, help="Show every tool and prompt in full.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.pass_obj
async def test(koi: Koi, /, names: Sequence[str], every_tool: bool) -> int:
    """Start MCP servers (default: all approved) and report what each offers. Exits with status 1 if one fails."""
    source = await source_of(koi)
    every = [one for one in source.find(koi, koi.workspace) if one.table.enabled and may_start(one, koi)]
    wanted = await servers_of(koi, names) if names else every
    lines = await asyncio.gather(*(try_server(source, one, koi, every_tool=every_tool) for one in wanted))
    for _, line in lines:
        click.echo(koi.redact(line))
    return 0 if all(ok for ok, _ in lines) else 1


@mcp.command()
@click.pass_obj
async def serve(koi: Koi, /) -> None:
    """Serve OpenKoi to other programs as an MCP server, over standard input and output."""
    from .serve import serve_stdio

    await serve_stdio(koi)


def confirm_all(everything: str) -> bool:
    """Ask whether all of it may be used; show everything first if the user asks for it."""
    choices = click.Choice(["y", "yes", "n", "no", "v"], case_sensitive=False)
    while True:
        answer = click.prompt(ALLOW_ALL, default="n", show_default=False, type=choices, show_choices=False)
        if answer != "v":
            return is_yes(answer)
        click.echo(everything)


async def try_server(source: McpServers, config: ServerConfig, koi: Koi, *, every_tool: bool) -> tuple[bool, str]:
    """Return whether a server starts and lists its tools, and a line about the server or each tool."""
    began = monotonic()
    if not may_start(config, koi):
        why = explain_why(config, koi).removeprefix("is ")
        return False, f"{config.name}: {why}, so it was not started. Run `openkoi mcp approve {config.name}`."
    try:
        async with open_server(source, config, koi) as server:
            client = await server.connection.client()
            found = await server.list_definitions(client)
            approval = "" if Snapshots(koi).allows(config, found) else ", not approved"
            offers = f"{count(len(found.tools), 'tool')}, {count(len(found.prompts), 'prompt')}"
            line = f"{config.name}: ok, {offers}, {monotonic() - began:.1f} s{approval}"
            return True, "\n".join([line, *show_all(config, found)] if every_tool else [line])
    except KoiError as error:
        return False, f"{config.name}: {error}"


@asynccontextmanager
async def open_server(source: McpServers, config: ServerConfig, koi: Koi) -> AsyncIterator["ServerTools"]:
    """Yield a server of this command's own, and stop it afterwards."""
    server = await source.load(config, koi, koi.workspace, [config])
    try:
        yield server
    finally:
        await server.connection.close()


async def source_of(koi: Koi) -> McpServers:
    """Return the plugin that finds servers."""
    found = await koi.load("sources", "mcp")
    assert isinstance(found, McpServers)
    return found


async def servers_of(koi: Koi, names: Sequence[str]) -> list[ServerConfig]:
    """Return the servers of these names; raise PluginNotFoundError for an unknown one."""
    known = {one.name: one for one in (await source_of(koi)).find(koi, koi.workspace)}
    if missing := [name for name in names if name not in known]:
        raise PluginNotFoundError("MCP servers", missing[0], tuple(known))
    return [known[name] for name in names]


def may_start(config: ServerConfig, koi: Koi) -> bool:
    return not config.project or is_yes(koi.consent(start_question(config).digest))


def configured_names(koi: Koi) -> set[str]:
    """Return the names of the servers in the configuration of OpenKoi itself."""
    listed = {str(one.get("name")) for one in koi.setting(SERVERS, list, [])}
    keys = [one.key for one in koi.settings() if one.key.startswith(f"{SERVERS}.")]
    return listed | {key.removeprefix(f"{SERVERS}.").rpartition(".")[0] for key in keys}


def set_table(koi: Koi, name: str, table: Json) -> str:
    return str(koi.set_setting(f"{SERVERS}.{name}", table))


def split_pairs(pairs: Sequence[str]) -> dict[str, Json]:
    """Return ``NAME=VALUE`` pairs as a table."""
    if wrong := [one for one in pairs if "=" not in one]:
        raise click.UsageError(f"{wrong[0]!r} does not have the form NAME=VALUE.")
    return {name: value for name, _, value in (one.partition("=") for one in pairs)}


def server_to_json(config: ServerConfig, koi: Koi) -> dict[str, Json]:
    """Return a server as JSON."""
    known = Snapshots(koi).find_approved(config)
    return {
        "name": config.name,
        "enabled": config.table.enabled,
        "approved": known is not None,
        "tools": [str(one["name"]) for one in known.tools] if known else [],
        "transport": config.transport,
        "command": config.command_line,
        "origin": config.origin,
    }


def state_of(config: ServerConfig, koi: Koi) -> str:
    """Return a server's approval status as text."""
    if not config.table.enabled:
        return "disabled"
    known = Snapshots(koi).find_approved(config)
    return f"approved, {count(len(known.tools), 'tool')}" if known else "not approved"
