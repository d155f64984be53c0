"""Define ``openkoi script``: list and approve hook scripts."""

import sys
from collections.abc import Iterator, Sequence
from typing import cast

import click

from openkoi_base.terminal import require_prompt
from openkoi_hookspecs import Koi, PluginNotFoundError

from .consent import NO, YES, is_approved, is_refused, make_question
from .discovery import Scripts
from .listing import list_scripts
from .script_files import ScriptFile

NONE = "No scripts. To write one, run `openkoi plugin new script NAME`."


@click.group()
def script() -> None:
    """List and approve hook scripts: your own, and those of this project."""


@script.command("list")
@click.pass_obj
async def list_all(koi: Koi, /) -> None:
    """List the scripts of this folder, and whether they are approved."""
    found = await find_all(koi)
    width = max((len(one.name) for one in found), default=0)
    for one in found:
        click.echo(koi.redact(f"{one.name:<{width}}  {state_of(one, koi):<12}  {one.path} ({one.origin})"))
        for line in describe(one):
            click.echo(koi.redact(f"{'':<{width}}  {'':<12}  {line}"))
    if not found:
        click.echo(NONE)


@script.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--yes", is_flag=True, help="Approve without asking.")
@click.pass_obj
async def approve(koi: Koi, /, names: Sequence[str], yes: bool) -> None:
    """Let OpenKoi run scripts as they are now; one that changes needs approval again."""
    if not yes:
        require_prompt(sys.stdout)
    found = await find_all(koi)
    for name in names:
        named = [one for one in found if one.name == name]
        if not named:
            raise PluginNotFoundError("script", name, tuple(one.name for one in found))
        for question in map(make_question, named):
            allowed = yes or click.confirm(koi.redact(question.text))
            koi.keep_consent(question, YES if allowed else NO)
            click.echo(f"{'Approved' if allowed else 'Refused'} {name}. To revoke that, run `openkoi trust`.")


async def find_all(koi: Koi) -> list[ScriptFile]:
    """Return the scripts of this folder; print what is wrong with others."""
    source = cast(Scripts, await koi.load("sources", "scripts"))
    found = [*list_scripts(await source.places(koi, koi.workspace), koi)]
    for warning in koi.warnings():
        click.echo(koi.redact(f"! {warning}"), err=True)
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
