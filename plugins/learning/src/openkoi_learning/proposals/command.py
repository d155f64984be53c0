"""What ``openkoi learn`` gains: drafts are listed with numbers, and approved, dismissed or looked at.

Knows the terminal; the drafts' texts are shown without what steers one.
"""

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import click

from openkoi_hookspecs import Koi, KoiError, PluginNotFoundError
from openkoi_skillfile import places, skill_in, visible

from .hook import Proposals
from .shelf import DraftStore, Proposal, entry, overview, rivals

KEYS = "     [a]pprove  [d]ismiss  [v]iew, any other key: later"
BEFORE = "  Here {} has its name: where that one may be used, this one is not."
UNWRITTEN = "{folder} was left as it was: {why}. Make room there, or make it writable, and try again."
TO_DECIDE = "To decide: openkoi learn view|approve|dismiss NUMBER"


@click.group("proposals", invoke_without_command=True)
@click.pass_obj
def actions(koi: Koi, /) -> bool:
    """Review drafts of skills and evaluators; tell whether there are any."""
    shelf = shelf_of(koi)
    waiting = shelf.waiting() if shelf else []
    if not shelf or not waiting:
        return False
    click.echo("Proposed:")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        say("\n".join(overview(waiting)))
        click.echo(TO_DECIDE, err=True)
        return True
    for number, one in enumerate(waiting, 1):
        say("\n".join(entry(number, one)))
        decide(shelf, one, click.getchar)
    return True


@actions.command()
@click.argument("which", metavar="NUMBER|NAME")
@click.pass_obj
def approve(koi: Koi, /, which: str) -> None:
    """Approve of a proposed skill or evaluator as it is now: from now on it is used, after what people wrote."""
    shelf = require_drafts(koi)
    say(approve_proposal(shelf, shelf.find_proposal(which)))


@actions.command()
@click.argument("which", metavar="NUMBER|NAME")
@click.pass_obj
def dismiss(koi: Koi, /, which: str) -> None:
    """Put a proposed skill or evaluator aside, by its name also an approved one; it is not proposed again."""
    shelf = require_drafts(koi)
    say(dismiss_proposal(shelf, shelf.find_proposal(which)))


@actions.command()
@click.argument("which", metavar="NUMBER|NAME")
@click.pass_obj
def view(koi: Koi, /, which: str) -> None:
    """Print a proposed skill or evaluator as it is written."""
    say(text_of(require_drafts(koi).find_proposal(which)))


def decide(shelf: DraftStore, one: Proposal, key_pressed: Callable[[], str]) -> None:
    """Ask for a key until it decides."""
    while True:
        click.echo(KEYS, err=True)
        key = key_pressed().lower()
        if key in ("\x03", "\x04"):
            raise click.Abort
        if key != "v":
            break
        say(text_of(one))
    deed = {"a": approve_proposal, "d": dismiss_proposal}.get(key)
    if deed:
        say(deed(shelf, one))


def approve_proposal(shelf: DraftStore, one: Proposal) -> str:
    """Approve a draft, and return what that means."""
    with writing(one.folder):
        lines = [f"Approved: {one.name}", f"  It is used from the next task on, as it is now: {shelf.approve(one)}"]
    before = rivals(one, places(one.kind, None, Path.cwd()))
    return "\n".join([*lines, *(BEFORE.format(folder) for folder in before)])


def dismiss_proposal(shelf: DraftStore, one: Proposal) -> str:
    """Dismiss a draft, and return what that means."""
    with writing(one.folder):
        return f"Dismissed: {one.name}\n  It is not proposed again as long as it lies in {shelf.dismiss(one)}"


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """While something is changed there; raises KoiError where the disk does not let it."""
    try:
        yield
    except OSError as error:
        raise KoiError(UNWRITTEN.format(folder=folder, why=error.strerror or error)) from error


def text_of(one: Proposal) -> str:
    """The file, and whatever else lies beside it by name."""
    file = skill_in(one.folder)
    others = sorted(each.relative_to(one.folder).as_posix() for each in one.folder.rglob("*") if each != file)
    beside = [f"Beside it: {', '.join(others)}"] if others else []
    return "\n".join([str(file), "", file.read_text(encoding="utf-8", errors="replace").rstrip(), *beside])


def say(text: str) -> None:
    """Print a text in which nothing steers the terminal, and nothing is hidden."""
    click.echo(visible(text))


def shelf_of(koi: Koi) -> DraftStore | None:
    """The drafts, where proposing is switched on."""
    with suppress(PluginNotFoundError):
        proposals = asyncio.run(koi.load("hooks", "proposals"))
        if isinstance(proposals, Proposals):
            return replace(proposals.shelf, koi=koi)
    return None


def require_drafts(koi: Koi) -> DraftStore:
    """Return the drafts; raise KoiError where proposals are disabled."""
    shelf = shelf_of(koi)
    if shelf is None:
        raise KoiError(
            "Proposals are switched off. Take out enabled = false below [hooks.proposals] in the configuration."
        )
    return shelf
