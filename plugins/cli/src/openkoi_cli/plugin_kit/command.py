"""Define the commands of ``openkoi plugin``."""

from pathlib import Path

import click

from ..invocation import Invocation
from .new import KINDS, next_steps, write_package

SCRIPT = "script"


@click.group()
def command() -> None:
    """Create, certify, install, remove and configure plugins."""


@command.command()
@click.argument("kind", type=click.Choice(sorted([*KINDS, SCRIPT])), metavar="KIND")
@click.argument("name")
@click.option("--into", type=click.Path(path_type=Path), help="Parent folder. [default: this one]")
@click.pass_obj
def new(invocation: Invocation, /, kind: str, name: str, into: Path | None) -> None:
    """Create a plugin package, or a script.

    A package has tests and CI; a script is one file. KIND is bundle, command, evaluator, hook, judge, script, tool or
    wasm. For other kinds, see `openkoi plugin docs`. A script is saved in your scripts folder. It is in Starlark, or in
    Python if NAME ends in .py.
    """
    if kind == SCRIPT:
        from .new_script import write_script

        click.echo(write_script(name, invocation, into), nl=False)
    else:
        click.echo(next_steps(kind, name, write_package(kind, name, into or Path())), nl=False)


@command.command()
@click.argument("kind", metavar="[KIND]", default="")
def docs(kind: str) -> None:
    """Show the contract of a kind, with an example. Without KIND, list the kinds."""
    from .docs import CONTRACTS, describe_kind, list_kinds

    if not kind:
        click.echo("\n".join(list_kinds()))
        return
    if kind not in CONTRACTS:
        raise click.UsageError(f"Unknown kind of plugin: {kind!r}. Choose from: {', '.join(CONTRACTS)}.")
    click.echo("\n\n".join(describe_kind(kind)))


@command.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=Path())
def certify(folder: Path) -> int:
    """Run a package's tests and contract suites. The package needs a suite for each kind of plugin in it."""
    from .certify import certify_package

    return certify_package(folder)


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.pass_obj
def install(invocation: Invocation, /, names: tuple[str, ...]) -> None:
    """Install plugins. NAME is a folder, a file, or a name to look up in your catalogues, then in the package index."""
    from .catalogue_install import install_named

    install_named(names, invocation)


@command.command()
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.pass_obj
def search(invocation: Invocation, /, words: tuple[str, ...]) -> None:
    """Search your catalogues for plugins: those in `[plugins] catalogues` of the config file."""
    from .catalogue_install import format_search

    click.echo(invocation.redact("\n".join(format_search(words, invocation))))


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.pass_obj
def remove(invocation: Invocation, /, names: tuple[str, ...]) -> None:
    """Uninstall plugins."""
    from .catalogue_copies import remove_named

    remove_named(names, invocation)


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.pass_obj
def update(invocation: Invocation, /, names: tuple[str, ...]) -> None:
    """Update plugins to the versions in your catalogues, or else to their latest releases.

    `openkoi update` updates OpenKoi itself as well.
    """
    from .catalogue_copies import update_named

    update_named(names, invocation)


@command.command(name="list")
@click.pass_context
def list_all(context: click.Context, /) -> None:
    """List installed plugins, what they add, and which are broken."""
    from ..plugins import command as plugins

    context.invoke(plugins, sources=False, check=False)


@command.command()
@click.argument("name")
@click.pass_obj
def info(invocation: Invocation, /, name: str) -> None:
    """Show a distribution's version, dependencies and plugins. NAME is a distribution or a plugin."""
    from .information import describe

    click.echo(invocation.redact("\n".join(describe(name, invocation))))


@command.command()
@click.argument("name")
@click.pass_obj
def enable(invocation: Invocation, /, name: str) -> None:
    """Enable a plugin. NAME is KIND.NAME; the plugin's name is enough if it is unique."""
    from .information import set_enabled

    click.echo(set_enabled(name, invocation, enabled=True))


@command.command()
@click.argument("name")
@click.pass_obj
def disable(invocation: Invocation, /, name: str) -> None:
    """Disable a plugin without uninstalling it. NAME is KIND.NAME; the plugin's name is enough if it is unique."""
    from .information import set_enabled

    click.echo(set_enabled(name, invocation, enabled=False))
