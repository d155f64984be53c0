"""``openkoi learn``: look at what was learned, and decide about it.

Knows the terminal; what is decided goes to the log.
"""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress

import click

from openkoi_base.redact import current_redactor
from openkoi_hookspecs import Koi, KoiError, PluginNotFoundError
from openkoi_hookspecs.events import LearningSaved
from openkoi_runlog import RunLog, session_id

from .bouts import Duel
from .decay import now
from .deeds import approve_entry, dismiss_entry, pin_entry, restore_entry
from .entry import LearningEntry
from .events import Noted
from .figures import to_learning
from .hook import LearningHook
from .pages import as_json, line, overview, page

KEYS = "[a]pprove [d]ismiss [v]iew, any other key: later"
MIN_ID_LENGTH = 3
NOBODY = "No terminal is attached, so nothing was decided. Run `openkoi learn approve|forget ID`."


class Actions(click.Group):
    """The actions, and those that packages bring; a word that is none may have been meant as a task."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *(name for one in load_actions(ctx.obj) for name in one.commands)})

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        own = super().get_command(ctx, name)
        return own or next((one.commands[name] for one in load_actions(ctx.obj) if name in one.commands), None)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            task = " ".join(args)
            raise click.UsageError(f"learn has no action {args[0]!r}. To give it as a task: openkoi -- learn {task}")
        return super().resolve_command(ctx, args)


@click.group("learn", cls=Actions, invoke_without_command=True)
@click.option("--install", metavar="SKILL", default="", help="Install a skill, as openkoi skill install does.")
@click.pass_context
def learn(ctx: click.Context, install: str) -> None:
    """Review what was learned and has not proved itself yet; openkoi learn why ID tells where it comes from."""
    if install:
        ctx.invoke(installer(ctx.obj, install), origin=install)
    elif ctx.invoked_subcommand is None:
        others = [ctx.invoke(one) for one in load_actions(ctx.obj)]
        review(ledger_of(ctx.obj), alone=not any(others))


def load_actions(koi: Koi) -> list[click.Group]:
    """Return the actions of modules in the group ``openkoi.learn``, which decide themselves whether something is
    pending.
    """
    found = (getattr(asyncio.run(koi.load("learn", one.name)), "actions", None) for one in koi.plugins("learn"))
    return [one for one in found if isinstance(one, click.Group)]


def installer(koi: Koi, skill: str) -> click.Command:
    """Return the command that installs skills; raise KoiError without one."""
    with suppress(PluginNotFoundError):
        group = asyncio.run(koi.load("commands", "skill"))
        if isinstance(group, click.Group) and "install" in group.commands:
            return group.commands["install"]
    raise KoiError(f"The ledger installs no skills, so {skill!r} was left alone. Install openkoi-skills for that.")


def review(ledger: LearningHook, *, alone: bool = True) -> None:
    """Go through what waits for a decision, one by one where there is a person, else as a list."""
    book = ledger.shelf.read_now()
    waiting = [entry for entry in book.entries.values() if entry.live and not entry.pinned and needs_decision(entry)]
    if not waiting and not alone:
        return
    if not waiting:
        click.echo("Nothing waits for a decision. What was learned: openkoi learn list")
        return
    for number, entry in enumerate(waiting, 1):
        click.echo(f"{number}/{len(waiting)}  {line(book, entry)}")
        if somebody_there():
            decide(ledger, entry)
    if not somebody_there():
        click.echo(NOBODY, err=True)


def needs_decision(entry: LearningEntry) -> bool:
    """Return whether the user's decision would change something."""
    return entry.is_untrusted or entry.standing == "probation"


def decide(ledger: LearningHook, entry: LearningEntry) -> None:
    """Ask for a key until it decides."""
    while True:
        click.echo(KEYS, err=True)
        key = click.getchar().lower()
        if key in ("\x03", "\x04"):
            raise click.Abort
        if key == "v":
            click.echo(page(ledger.shelf.book, entry, now(), ledger.rules.decay))
            continue
        if key in ("a", "d"):
            write(ledger, approve_entry(entry, now()) if key == "a" else dismiss_entry(entry, now()))
            click.echo("Approved." if key == "a" else "Dismissed.", err=True)
        return


def somebody_there() -> bool:
    """Whether a person can press a key."""
    return sys.stdin.isatty() and sys.stdout.isatty()


@learn.command("list")
@click.option("--all", "everything", is_flag=True, help="Include archived entries.")
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", help="How it is printed.")
@click.pass_obj
def list_entries(koi: Koi, /, everything: bool, layout: str) -> None:
    """List what was learned, the most useful first."""
    ledger = ledger_of(koi)
    book, decay = ledger.shelf.read_now(), ledger.rules.decay
    entries = [entry for entry in book.entries.values() if everything or entry.live]
    click.echo(as_json(book, entries, now(), decay) if layout == "json" else overview(book, entries))


@learn.command()
@click.argument("id")
@click.pass_obj
def why(koi: Koi, /, id: str) -> None:
    """Tell where an entry comes from, when it was shown, how that went, and whether it helps."""
    ledger = ledger_of(koi)
    click.echo(page(ledger.shelf.read_now(), find_entry(ledger, id), now(), ledger.rules.decay))


@learn.command()
@click.argument("id")
@click.pass_context
def approve(ctx: click.Context, /, id: str) -> None:
    """Approve an entry: show it as an instruction. Also approves other pending items by number or name."""
    ledger = ledger_of(ctx.obj)
    others = [one.commands["approve"] for one in load_actions(ctx.obj) if "approve" in one.commands]
    if others and not (len(id) >= MIN_ID_LENGTH and any(key.startswith(id) for key in ledger.shelf.read_now().entries)):
        ctx.invoke(others[0], **{str(others[0].params[0].name): id})
        return
    entry = find_entry(ledger, id)
    if not entry.live:
        raise KoiError(f"{entry.id} is archived. To approve it, first run `openkoi learn restore {entry.id}`.")
    finish_action(ledger, approve_entry(entry, now()), "Approved")


@learn.command()
@click.argument("id")
@click.pass_obj
def pin(koi: Koi, /, id: str) -> None:
    """Keep an entry: show it in every matching task, never hold it out or archive it."""
    ledger = ledger_of(koi)
    finish_action(ledger, pin_entry(find_entry(ledger, id), now()), "Pinned")


@learn.command()
@click.argument("id")
@click.pass_obj
def forget(koi: Koi, /, id: str) -> None:
    """Put an entry away; it stays in the log and can be restored."""
    ledger = ledger_of(koi)
    entry = find_entry(ledger, id)
    finish_action(ledger, dismiss_entry(entry, now()), "Put away")
    click.echo(f"To take it back: openkoi learn restore {entry.id}", err=True)


@learn.command()
@click.argument("id")
@click.pass_obj
def restore(koi: Koi, /, id: str) -> None:
    """Restore an archived entry; it is on probation again."""
    ledger = ledger_of(koi)
    entry = find_entry(ledger, id)
    if entry.live and not entry.pinned:
        raise KoiError(f"{entry.id} is not archived, so there is nothing to restore.")
    finish_action(ledger, restore_entry(entry, now()), "No longer pinned" if entry.live else "Restored")


@learn.command()
@click.argument("id")
@click.option("--again", type=click.IntRange(0), metavar="N", help="Do so many recorded tasks again, by a model.")
@click.pass_obj
def duel(koi: Koi, /, id: str, again: int | None) -> None:
    """Compare tasks with an entry and without it: from the record, and by doing some of them again."""
    ledger = ledger_of(koi)
    entry = find_entry(ledger, id)
    click.echo(line(ledger.shelf.book, entry))
    Duel(koi, ledger.shelf.book, entry).run(again)


def finish_action(ledger: LearningHook, entry: LearningEntry, what: str) -> None:
    write(ledger, entry)
    click.echo(f"{what}: {line(ledger.shelf.book, entry)}")


def write(ledger: LearningHook, entry: LearningEntry) -> None:
    """Put a person's decision into the run log, in a segment of this command's own."""
    log = RunLog(ledger.shelf.folder, session_id(), current_redactor())
    try:
        log.append("learn", [Noted(entry), LearningSaved(to_learning(ledger.shelf.book, entry, ledger.rules.decay))])
    finally:
        log.close()
    ledger.shelf.read_now()


def ledger_of(koi: Koi) -> LearningHook:
    """The ledger as it is configured; raises KoiError where it is switched off."""
    with suppress(PluginNotFoundError):
        ledger = asyncio.run(koi.load("hooks", "learning"))
        if isinstance(ledger, LearningHook):
            return ledger
    raise KoiError("The ledger is switched off. Take out enabled = false below [hooks.learning] in the configuration.")


def find_entry(ledger: LearningHook, id: str) -> LearningEntry:
    """Return the entry with this id or unique prefix; raise KoiError."""
    found: Sequence[LearningEntry] = [one for key, one in ledger.shelf.read_now().entries.items() if key.startswith(id)]
    exact = [one for one in found if one.id == id]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if found:
        raise KoiError(f"{id!r} fits {len(found)} entries: {', '.join(one.id for one in found[:5])}. Write more of it.")
    raise KoiError(f"Unknown entry {id!r}. openkoi learn list --all shows all ids.")
