"""Add proposals to ``openkoi learn``: list drafts by number, and approve, dismiss or view them.

Their texts are printed without terminal control sequences.
"""

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import click

from openkoi_base.files import describe_write_error
from openkoi_base.printable import make_printable
from openkoi_base.skillfile.locations import list_locations
from openkoi_base.skillfile.validation import find_skill_file
from openkoi_hookspecs import Koi, KoiError, PluginNotFoundError

from .draft_store import DraftStore, Proposal, find_rivals, format_draft, format_list
from .hook import ProposalsHook

KEYS = "     [a]pprove  [d]ismiss  [v]iew, any other key: later"
SHADOWED = "  {} has the same name and takes precedence: the draft is not used where both are available."
WRITE_FAILED = "Cannot write {folder}: {why}, then try again."
TO_DECIDE = "To decide: openkoi learn view|approve|dismiss NUMBER"


@click.group("proposals", invoke_without_command=True)
@click.pass_obj
def actions(koi: Koi, /) -> bool:
    """Review drafts of skills and evaluators; return whether there are any."""
    drafts = load_drafts(koi)
    waiting = drafts.pending_drafts() if drafts else []
    if not drafts or not waiting:
        return False
    click.echo("Proposed:")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        echo_visible("\n".join(format_list(waiting)))
        click.echo(TO_DECIDE, err=True)
        return True
    for number, draft in enumerate(waiting, 1):
        echo_visible("\n".join(format_draft(number, draft)))
        ask_decision(drafts, draft, click.getchar)
    return True


@actions.command()
@click.argument("which", metavar="NUMBER|NAME")
@click.pass_obj
def approve(koi: Koi, /, which: str) -> None:
    """Approve a draft as it is now. A skill or evaluator of your own with the same name takes precedence."""
    drafts = require_drafts(koi)
    echo_visible(approve_proposal(drafts, drafts.find_proposal(which)))


@actions.command()
@click.argument("which", metavar="NUMBER|NAME")
@click.pass_obj
def dismiss(koi: Koi, /, which: str) -> None:
    """Dismiss a draft, so that it is not proposed again.

    Dismissing an approved draft also disables it.
    """
    drafts = require_drafts(koi)
    echo_visible(dismiss_proposal(drafts, drafts.find_proposal(which)))


@actions.command()
@click.argument("which", metavar="NUMBER|NAME")
@click.pass_obj
def view(koi: Koi, /, which: str) -> None:
    """Print a proposed skill or evaluator."""
    echo_visible(proposal_text(require_drafts(koi).find_proposal(which)))


def ask_decision(drafts: DraftStore, draft: Proposal, key_pressed: Callable[[], str]) -> None:
    """Read keys until one of them decides."""
    while True:
        click.echo(KEYS, err=True)
        key = key_pressed().lower()
        if key in ("\x03", "\x04"):
            raise click.Abort
        if key != "v":
            break
        echo_visible(proposal_text(draft))
    action = {"a": approve_proposal, "d": dismiss_proposal}.get(key)
    if action:
        echo_visible(action(drafts, draft))


def approve_proposal(drafts: DraftStore, draft: Proposal) -> str:
    """Approve a draft, and return a message about the consequences."""
    with convert_errors(draft.folder):
        lines = [f"Approved: {draft.name}", f"  Used from the next task: {drafts.approve(draft)}"]
    before = find_rivals(draft, list_locations(draft.kind, None, Path.cwd()))
    return "\n".join([*lines, *(SHADOWED.format(folder) for folder in before)])


def dismiss_proposal(drafts: DraftStore, draft: Proposal) -> str:
    """Dismiss a draft, and return a message about the consequences."""
    with convert_errors(draft.folder):
        return (
            f"Dismissed: {draft.name}\n  It will not be proposed again as long as it remains in {drafts.dismiss(draft)}"
        )


@contextmanager
def convert_errors(folder: Path) -> Iterator[None]:
    """Convert an OSError while writing to a KoiError."""
    try:
        yield
    except OSError as error:
        raise KoiError(WRITE_FAILED.format(folder=folder, why=describe_write_error(error))) from error


def proposal_text(draft: Proposal) -> str:
    """Return the file, and the names of the other files in its folder."""
    file = find_skill_file(draft.folder)
    others = sorted(path.relative_to(draft.folder).as_posix() for path in draft.folder.rglob("*") if path != file)
    beside = [f"Other files: {', '.join(others)}"] if others else []
    return "\n".join([str(file), "", file.read_text(encoding="utf-8", errors="replace").rstrip(), *beside])


def echo_visible(text: str) -> None:
    """Print a text without control sequences and hidden characters."""
    click.echo(make_printable(text))


def load_drafts(koi: Koi) -> DraftStore | None:
    """Return the drafts, if proposals are enabled."""
    with suppress(PluginNotFoundError):
        proposals = asyncio.run(koi.load("hooks", "proposals"))
        if isinstance(proposals, ProposalsHook):
            return replace(proposals.drafts, koi=koi)
    return None


def require_drafts(koi: Koi) -> DraftStore:
    """Return the drafts; raise KoiError where proposals are disabled."""
    drafts = load_drafts(koi)
    if drafts is None:
        raise KoiError("Proposals are disabled. Remove `enabled = false` from [hooks.proposals] in the config file.")
    return drafts
