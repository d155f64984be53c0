"""Define ``openkoi wasm``: the plugins that are WebAssembly modules."""

import asyncio
import json
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import click

from openkoi_base.files import describe_write_error, private_folder
from openkoi_base.grants import revoke_command
from openkoi_base.printable import indent_further, make_printable
from openkoi_base.schema.coerce import coerce_arguments
from openkoi_base.terminal import require_prompt
from openkoi_hookspecs import YES, ConfigError, Json, Koi, KoiError, PluginNotFoundError

from .approval import describe, explain_unused, question
from .discovery import MANIFEST, WasmPlugins, manifest_file
from .manifest import Manifest, read_manifest
from .plugin import WasmPlugin

ADDED = "Added {0} to {1}. To let OpenKoi use it, run `openkoi wasm approve {0}`."
EXISTS = (
    "A WASM plugin named {0} already exists in {1}. To replace it, run `openkoi wasm remove {0}` first, or "
    "`openkoi wasm add --replace FOLDER`. To use your build folder directly, add it to "
    "`wasm` under [plugins] in the config file."
)
NOT_OURS = "{0} is not in the data folder but in {1}. Remove it from `wasm` under [plugins] in the config file."
SCHEMA = "openkoi.wasm/1"


@click.group()
def wasm() -> None:
    """List, add, approve and test plugins that are WebAssembly modules."""


@wasm.command("list")
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_obj
async def list_plugins(koi: Koi, /, layout: str) -> None:
    """List the WASM plugins, what each may do, and whether you approved it."""
    source = await source_of(koi)
    found = source.find(koi)
    for warning in koi.warnings():
        click.echo(f"! {indent_further(koi.redact(warning))}", err=True)
    if layout == "json":
        click.echo(json.dumps({"schema": SCHEMA, "plugins": [plugin_to_json(one, source, koi) for one in found]}))
        return
    for one in found:
        click.echo(
            koi.redact(f"{one.name} {one.version}  {state_of(one, source, koi)}\n  {describe(one)}\n  {one.file}")
        )
    if not found:
        click.echo("No WASM plugins. To add one, run `openkoi wasm add FOLDER`.")


@wasm.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--replace", is_flag=True, help="Replace an existing plugin of the same name.")
@click.pass_obj
async def add(koi: Koi, /, path: Path, replace: bool) -> None:
    """Copy a plugin into the data folder. PATH is a folder with plugin.toml, or a module next to one."""
    manifest = read_manifest(manifest_file(path))
    content = manifest.read_module()
    source = await source_of(koi)
    folder = private_folder(source.folder) / manifest.name
    for other in source.find(koi):
        if other.name == manifest.name and not (replace and is_same_folder(other.file.parent, folder)):
            raise KoiError(EXISTS.format(manifest.name, other.file.parent))
    if folder.exists() and not replace:  # its manifest cannot be read
        raise KoiError(EXISTS.format(manifest.name, folder))
    if is_copied(manifest, content, folder):
        click.echo(f"{manifest.name} is already up to date: {folder}.")
        return
    try:
        await asyncio.to_thread(copy_plugin, manifest, content, folder)
    except OSError as error:
        raise KoiError(f"Cannot write {folder}: {describe_write_error(error)}.") from None
    click.echo(ADDED.format(manifest.name, folder))


@wasm.command()
@click.argument("name")
@click.pass_obj
async def remove(koi: Koi, /, name: str) -> None:
    """Delete a plugin from the data folder, and revoke its approval."""
    source = await source_of(koi)
    (found,) = plugins_of(source, koi, [name])
    folder = found.file.parent
    if folder.parent.resolve() != source.folder.resolve():
        raise KoiError(NOT_OURS.format(name, folder))
    with suppress(ConfigError):  # of a module that cannot be read there is nothing to revoke
        digest = source.plugin_of(found, koi).digest
        for consent in [one for one in koi.consents() if one.digest == digest]:
            koi.revoke_consent(consent.id)
    await asyncio.to_thread(shutil.rmtree, folder)
    click.echo(f"Removed {name}.")


@wasm.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--yes", is_flag=True, help="Approve without asking.")
@click.pass_obj
async def approve(koi: Koi, /, names: Sequence[str], yes: bool) -> None:
    """Show what plugins may do, and let OpenKoi use them. A plugin that changes needs approval again."""
    if not yes:
        require_prompt(sys.stdout)
    source = await source_of(koi)
    for manifest in plugins_of(source, koi, names):
        plugin = source.plugin_of(manifest, koi)
        await plugin.load()
        click.echo(koi.redact(f"{manifest.name} {manifest.version} ({manifest.module})\n  {describe(manifest)}"))
        if yes or click.confirm("Allow OpenKoi to use this plugin?"):
            koi.keep_consent(question(manifest, plugin.digest), YES)
            click.echo(f"Approved {manifest.name}. To undo this, run `{revoke_command(koi, plugin.digest)}`.")


@wasm.command()
@click.argument("names", nargs=-1, metavar="[NAME|FOLDER]...")
@click.pass_obj
async def test(koi: Koi, /, names: Sequence[str]) -> int:
    """Compile plugins, and check what they import and export. Exit with status 1 if one cannot be used."""
    source = await source_of(koi)
    found = [one for name in names for one in find_named(source, koi, name)] if names else source.find(koi)
    results = [await try_plugin(source.plugin_of(one, koi)) for one in found]
    for line, _ in results:
        click.echo(koi.redact(line))
    return 0 if all(ok for _, ok in results) else 1


@wasm.command()
@click.argument("name")
@click.argument("tool")
@click.argument("arguments", default="{}")
@click.pass_obj
async def call(koi: Koi, /, name: str, tool: str, arguments: str) -> None:
    """Call a tool of an approved plugin. ARGUMENTS is a JSON object; the answer is printed."""
    source = await source_of(koi)
    (manifest,) = plugins_of(source, koi, [name])
    plugin = source.plugin_of(manifest, koi)
    if not plugin.consent.is_given:
        raise KoiError(explain_unused(name, koi))
    declared = {one.name: one for one in manifest.tools} | {manifest.full_name(one.name): one for one in manifest.tools}
    if tool not in declared:
        raise PluginNotFoundError("tools", tool, tuple(one.name for one in manifest.tools))
    try:
        given = json.loads(arguments)
    except ValueError as error:
        raise click.UsageError(f"ARGUMENTS is not JSON: {error}.") from None
    if not isinstance(given, dict):
        raise click.UsageError("ARGUMENTS is not a JSON object.")
    given = coerce_arguments(given, dict(declared[tool].parameters))
    found = await plugin.call("tool", {"tool": declared[tool].name, "arguments": given}, None)
    click.echo(koi.redact(make_printable(found if isinstance(found, str) else json.dumps(found))))


@wasm.command()
@click.option("--wit", is_flag=True, help="Show only the WIT world, for component toolchains.")
def docs(wit: bool) -> None:
    """Print how to write a plugin: its manifest, its functions, and the data it exchanges with OpenKoi."""
    world, pages = (Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("plugin.wit", "ABI.md"))
    click.echo(world if wit else f"{pages}\n```wit\n{world}```\n", nl=False)


def find_named(source: WasmPlugins, koi: Koi, name: str) -> list[Manifest]:
    """Return the plugin in a folder, or of a name."""
    path = Path(name)
    file = manifest_file(path)
    return [read_manifest(file)] if file.is_file() or path.is_dir() else plugins_of(source, koi, [name])


async def try_plugin(plugin: WasmPlugin) -> tuple[str, bool]:
    """Return a line about a plugin, and whether it can be used."""
    began = monotonic()
    try:
        await plugin.load()
    except KoiError as error:
        return str(error), False
    approval = "" if plugin.consent.is_given else ", not approved"
    return f"{plugin.manifest.name}: ok, {monotonic() - began:.1f} s{approval}", True


def copy_plugin(manifest: Manifest, content: bytes, folder: Path) -> None:
    """Copy a manifest and its module into a folder, in place of what it contains."""
    text = manifest.file.read_bytes()
    with TemporaryDirectory(dir=folder.parent.parent, prefix="wasm-") as made:
        new = Path(made) / folder.name
        new.mkdir(mode=0o700)
        (new / manifest.module.name).write_bytes(content)
        (new / MANIFEST).write_bytes(text)
        if folder.exists():
            folder.rename(Path(made) / "old")
        new.rename(folder)


def is_copied(manifest: Manifest, content: bytes, folder: Path) -> bool:
    """Return whether a folder contains this manifest and module."""
    try:
        there = (folder / MANIFEST).read_bytes(), (folder / manifest.module.name).read_bytes()
    except OSError:
        return False
    return there == (manifest.file.read_bytes(), content)


def is_same_folder(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


async def source_of(koi: Koi) -> WasmPlugins:
    """Return the plugin that finds these plugins."""
    found = await koi.load("sources", "wasm")
    assert isinstance(found, WasmPlugins)
    return found


def plugins_of(source: WasmPlugins, koi: Koi, names: Sequence[str]) -> list[Manifest]:
    """Return the plugins of these names; raise PluginNotFoundError for an unknown one."""
    known = {one.name: one for one in source.find(koi)}
    if missing := [name for name in names if name not in known]:
        raise PluginNotFoundError("WASM plugins", missing[0], tuple(known))
    return [known[name] for name in names]


def plugin_to_json(manifest: Manifest, source: WasmPlugins, koi: Koi) -> dict[str, Json]:
    """Return a plugin as JSON."""
    return {
        "name": manifest.name,
        "version": manifest.version,
        "kinds": list(manifest.kinds),
        "capabilities": list(manifest.wants),
        "state": state_of(manifest, source, koi),
        "manifest": str(manifest.file),
    }


def state_of(manifest: Manifest, source: WasmPlugins, koi: Koi) -> str:
    """Describe whether a plugin is used."""
    try:
        return "approved" if source.plugin_of(manifest, koi).consent.is_given else "not approved"
    except KoiError:
        return "broken"
