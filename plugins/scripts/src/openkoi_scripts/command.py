"""Define ``openkoi script``: list and approve hook scripts."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any, cast

import click

from openkoi_base.grants import revoke_command
from openkoi_base.printable import indent_further, one_line
from openkoi_base.terminal import require_prompt
from openkoi_hookspecs import NO, YES, Koi, KoiError, PluginNotFoundError

from .consent import is_approved, is_refused, make_question
from .discovery import Scripts
from .listing import list_scripts, load_script
from .script_files import ScriptFile, plugin_name

NONE = "No scripts. To write one, run `openkoi plugin new script NAME`."


@click.group()
def script() -> None:
    """List and approve hook scripts: your own, and those of this project."""


@script.command("list")
@click.pass_obj
async def list_all(koi: Koi, /) -> None:
    """List the available scripts, and whether they are approved."""
    source, found = await find_source(koi), await find_all(koi)
    width = max((len(one.name) for one in found), default=0)
    for one in found:
        problem = await find_problem(one, koi, source.seconds)
        state = "broken" if problem else state_of(one, koi)
        click.echo(koi.redact(f"{one.name:<{width}}  {state:<12}  {one_line(str(one.path))} ({one.origin})"))
        for line in (*problem.splitlines(), *describe(one)):
            click.echo(koi.redact(f"{'':<{width}}  {'':<12}  {line}"))
    if not found:
        click.echo(NONE)


@script.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--yes", is_flag=True, help="Approve without asking.")
@click.pass_obj
async def approve(koi: Koi, /, names: Sequence[str], yes: bool) -> None:
    """Approve scripts, so that OpenKoi runs them. A script that changes needs approval again."""
    if not yes:
        require_prompt(sys.stdout)
    found = await find_all(koi)
    for name in map(plugin_name, names):
        named = [one for one in found if one.name == name]
        if not named:
            raise PluginNotFoundError("script", name, tuple(one.name for one in found))
        for question in map(make_question, named):
            if yes:
                click.echo(koi.redact(question.text))
            allowed = yes or click.confirm(koi.redact(question.text))
            koi.keep_consent(question, YES if allowed else NO)
            command = revoke_command(koi, question.digest)
            click.echo(f"{'Approved' if allowed else 'Refused'} {name}. To undo this, run `{command}`.")


async def find_source(koi: Koi) -> Scripts:
    """Return the plugin that finds scripts."""
    return cast(Scripts, await koi.load("sources", "scripts"))


async def find_problem(one: ScriptFile, koi: Koi, seconds: float) -> str:
    """Return why a script cannot be loaded; empty if it can be, or may not run yet."""
    try:
        plugin: Any = await load_script(one, seconds, koi)
        if not one.is_command:
            await plugin.__aenter__()
            await plugin.__aexit__()
    except KoiError as error:
        return str(error)
    return ""


async def find_all(koi: Koi) -> list[ScriptFile]:
    """Return the scripts of this folder; print the errors of unusable ones."""
    source = await find_source(koi)
    found = [*list_scripts(await source.places(koi, koi.workspace), koi)]
    for warning in koi.warnings():
        click.echo(f"! {indent_further(koi.redact(warning))}", err=True)
    return found


def state_of(one: ScriptFile, koi: Koi) -> str:
    """Return whether a script is used."""
    if not one.needs_consent:
        return "used"
    return "refused" if is_refused(one, koi) else "approved" if is_approved(one, koi) else "not approved"


def describe(one: ScriptFile) -> Iterator[str]:
    """Yield lines about a script."""
    if one.description:
        yield one.description
    if one.is_python:
        yield "Python, without a sandbox"
    elif one.capabilities.texts:
        yield f"may {', '.join(one.capabilities.texts)}"
