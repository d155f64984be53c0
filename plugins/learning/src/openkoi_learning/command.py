"""Implement ``openkoi learn``: review what was learned, and decide about it."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches

import click

from openkoi_base.files.project import project_id
from openkoi_base.redact import current_redactor
from openkoi_base.user_preference import make_preference
from openkoi_hookspecs import Koi, KoiError, PluginNotFoundError
from openkoi_hookspecs.events import LearningSaved
from openkoi_runlog import RunLog, new_session_id

from .comparison import EntryComparison
from .decay import utc_now
from .entry import LearningEntry, entry_from_learning
from .events import EntryUpdated
from .figures import to_learning
from .find_entry import EntryNotFoundError, find_entry
from .hook import LearningHook
from .promotion import promote_entry
from .state import LearningState
from .user_actions import approve_entry, dismiss_entry, pin_entry, restore_entry
from .views import format_json, format_line, format_list, format_page, format_proposal

KEYS = "[a]pprove [d]ismiss [v]iew, any other key: later"
MIN_ID_LENGTH = 3  # characters of an id that select an entry (estimate)
NO_TERMINAL = "No terminal is attached, so nothing was decided. Run `openkoi learn approve|forget ID`."


class Actions(click.Group):
    """The sub-commands, including those of other packages; an unknown one may be a task."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(
            {*super().list_commands(ctx), *(name for group in load_actions(ctx.obj) for name in group.commands)}
        )

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        own = super().get_command(ctx, name)
        return own or next((group.commands[name] for group in load_actions(ctx.obj) if name in group.commands), None)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            near = get_close_matches(args[0], self.list_commands(ctx), n=1)
            hint = f" Did you mean `openkoi learn {near[0]}`?" if near else suggest_other_command(args[0], ctx)
            task = f"openkoi -- learn {' '.join(args)}"
            raise click.UsageError(f"No such command 'learn {args[0]}'.{hint} To run it as a task: {task}")
        return super().resolve_command(ctx, args)


def suggest_other_command(word: str, ctx: click.Context) -> str:
    """Suggest OpenKoi's command with this name, such as ``export``."""
    root = ctx.find_root().command
    known = root.list_commands(ctx) if isinstance(root, click.Group) and root is not ctx.command else []
    return f" Did you mean `openkoi {word}`?" if word in known else ""


@click.group("learn", cls=Actions, invoke_without_command=True)
@click.option("--install", metavar="SKILL", default="", help="Install SKILL, as `openkoi skill install` does.")
@click.pass_context
def learn(ctx: click.Context, install: str) -> None:
    """Review learned entries that are on probation. Run `openkoi learn why ID` for the evidence."""
    if install:
        ctx.invoke(load_install_command(ctx.obj, install), origin=install)
    elif ctx.invoked_subcommand is None:
        others = [ctx.invoke(one) for one in load_actions(ctx.obj)]
        review(load_hook(ctx.obj), alone=not any(others))


def load_actions(koi: Koi) -> list[click.Group]:
    """Return the sub-commands of plugins in the group ``openkoi.learn``."""
    found = (getattr(asyncio.run(koi.load("learn", one.name)), "actions", None) for one in koi.plugins("learn"))
    return [one for one in found if isinstance(one, click.Group)]


def load_install_command(koi: Koi, skill: str) -> click.Command:
    """Return the command that installs skills; raise KoiError without one."""
    with suppress(PluginNotFoundError):
        group = asyncio.run(koi.load("commands", "skill"))
        if isinstance(group, click.Group) and "install" in group.commands:
            return group.commands["install"]
    raise KoiError(f"Cannot install {skill!r}: openkoi-skills is not installed. Run `pip install openkoi-skills`.")


def review(hook: LearningHook, *, alone: bool = True) -> None:
    """Go through the entries that need a decision: one by one on a terminal, else as a list."""
    state = hook.log_view.read_now()
    waiting = [entry for entry in list_live(state) if not entry.pinned and needs_decision(state, entry)]
    if not waiting and not alone:
        return
    if not waiting:
        click.echo(f"No decisions are pending.\n{format_list(state, list_live(state))}")
        return
    for number, entry in enumerate(waiting, 1):
        if not state.entries[entry.id].is_live:  # another one that was approved replaces it
            continue
        lines = [format_line(state, entry), *format_proposal(state, entry, utc_now())]
        click.echo(f"{number}/{len(waiting)}  " + "\n".join(lines))
        if has_terminal():
            ask_decision(hook, entry)
    if not has_terminal():
        click.echo(NO_TERMINAL, err=True)


def list_live(state: LearningState) -> Sequence[LearningEntry]:
    """Return all entries except archived ones."""
    return [entry for entry in state.known.values() if entry.is_live]


def needs_decision(state: LearningState, entry: LearningEntry) -> bool:
    """Return whether the user's decision would change something."""
    if entry.is_past_tasks:
        return False
    return entry.is_untrusted or entry.standing == "probation" or bool(promote_entry(state, entry, utc_now()))


def ask_decision(hook: LearningHook, entry: LearningEntry) -> None:
    """Read keys until one of them decides."""
    while True:
        click.echo(KEYS, err=True)
        key = click.getchar().lower()
        if key in ("\x03", "\x04"):
            raise click.Abort
        if key == "v":
            click.echo(format_page(hook.log_view.state, entry, utc_now(), hook.rules.decay))
            continue
        if key == "a":
            click.echo(f"{save_approval(hook, entry)[0]}.", err=True)
        elif key == "d":
            save_decision(hook, dismiss_entry(entry, utc_now()))
            click.echo("Dismissed.", err=True)
        return


def save_approval(hook: LearningHook, entry: LearningEntry) -> tuple[str, LearningEntry]:
    """Approve an entry, in all projects if it helped in several; return what was done, and the approved entry."""
    promoted, *replaced = promote_entry(hook.log_view.state, entry, utc_now()) or [entry]
    approved = approve_entry(promoted, utc_now())
    for one in (approved, *replaced):
        save_decision(hook, one)
    return "Approved for all projects" if replaced else "Approved", approved


def has_terminal() -> bool:
    """Return whether the user can press a key."""
    return sys.stdin.isatty() and sys.stdout.isatty()


@learn.command("list")
@click.option("--all", "everything", is_flag=True, help="Include archived entries.")
@click.option(
    "--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output format."
)
@click.pass_obj
def list_entries(koi: Koi, /, everything: bool, layout: str) -> None:
    """List learned entries, most useful first."""
    hook = load_hook(koi)
    state, decay = hook.log_view.read_now(), hook.rules.decay
    entries = [*state.known.values()] if everything else list_live(state)
    click.echo(format_json(state, entries, utc_now(), decay) if layout == "json" else format_list(state, entries))


@learn.command()
@click.argument("text", nargs=-1, required=True)
@click.pass_obj
def add(koi: Koi, /, text: tuple[str, ...]) -> None:
    """Remember TEXT as your preference in this project. In the chat, # TEXT remembers it for all projects."""
    hook = load_hook(koi)
    preference = make_preference(" ".join(text), "project")
    if not preference.text:
        raise click.UsageError('TEXT is empty. Example: openkoi learn add "Use British spelling"')
    entry = entry_from_learning(preference, utc_now(), project_id(koi.workspace))
    finish_action(hook, entry, "Remembered for this project")
    click.echo(f"To undo this, run `openkoi learn forget {entry.id}`.", err=True)


@learn.command()
@click.argument("id")
@click.pass_obj
def why(koi: Koi, /, id: str) -> None:
    """Show an entry's evidence, its outcomes, and whether it helps."""
    hook = load_hook(koi)
    click.echo(
        format_page(
            hook.log_view.read_now(),
            find_entry(koi, hook.log_view.read_now(), id),
            utc_now(),
            hook.rules.decay,
        )
    )


@learn.command()
@click.argument("id")
@click.pass_context
def approve(ctx: click.Context, /, id: str) -> None:
    """Approve an entry, so that it is shown as an instruction. Also approves pending proposals by number or name."""
    hook = load_hook(ctx.obj)
    others = [group.commands["approve"] for group in load_actions(ctx.obj) if "approve" in group.commands]
    if others and not (len(id) >= MIN_ID_LENGTH and any(key.startswith(id) for key in hook.log_view.read_now().known)):
        try:
            ctx.invoke(others[0], **{str(others[0].params[0].name): id})
        except PluginNotFoundError:
            raise EntryNotFoundError(id, "entry or proposal") from None
        return
    entry = find_entry(ctx.obj, hook.log_view.read_now(), id)
    if entry.is_past_tasks:
        raise KoiError("Past tasks are always shown as quoted data, so there is nothing to approve.")
    if not entry.is_live:
        raise KoiError(f"{entry.id} is archived. To approve it, first run `openkoi learn restore {entry.id}`.")
    what, approved = save_approval(hook, entry)
    click.echo(f"{what}: {format_line(hook.log_view.state, approved)}")


@learn.command()
@click.argument("id")
@click.pass_obj
def pin(koi: Koi, /, id: str) -> None:
    """Keep an entry: show it in every matching task, never hold it out or archive it."""
    hook = load_hook(koi)
    finish_action(hook, pin_entry(find_entry(koi, hook.log_view.read_now(), id), utc_now()), "Pinned")


@learn.command()
@click.argument("id")
@click.pass_obj
def forget(koi: Koi, /, id: str) -> None:
    """Archive an entry; it stays in the log and can be restored."""
    hook = load_hook(koi)
    entry = find_entry(koi, hook.log_view.read_now(), id)
    finish_action(hook, dismiss_entry(entry, utc_now()), "Archived")
    click.echo(f"To undo this, run `openkoi learn restore {entry.id}`.", err=True)


@learn.command()
@click.argument("id")
@click.pass_obj
def restore(koi: Koi, /, id: str) -> None:
    """Restore an archived entry; it is on probation again."""
    hook = load_hook(koi)
    entry = find_entry(koi, hook.log_view.read_now(), id)
    if entry.is_live and not entry.pinned:
        raise KoiError(f"{entry.id} is not archived, so there is nothing to restore.")
    finish_action(hook, restore_entry(entry, utc_now()), "No longer pinned" if entry.is_live else "Restored")


@learn.command()
@click.argument("id")
@click.option(
    "--again",
    type=click.IntRange(0),
    metavar="N",
    help="Replay up to N recorded tasks with a model, without asking. [default: ask]",
)
@click.pass_obj
def duel(koi: Koi, /, id: str, again: int | None) -> None:
    """Compare tasks with and without an entry, recorded or replayed."""
    hook = load_hook(koi)
    entry = find_entry(koi, hook.log_view.read_now(), id)
    click.echo(format_line(hook.log_view.state, entry))
    EntryComparison(koi, hook.log_view.state, entry).run(again)


def finish_action(hook: LearningHook, entry: LearningEntry, what: str) -> None:
    save_decision(hook, entry)
    saved = hook.log_view.state.known[entry.id]  # without secrets
    click.echo(f"{what}: {format_line(hook.log_view.state, saved)}")


def save_decision(hook: LearningHook, entry: LearningEntry) -> None:
    """Write the user's decision to the run log, in a segment of this command's own."""
    log = RunLog(hook.log_view.folder, new_session_id(), current_redactor())
    try:
        log.append(
            "learn", [EntryUpdated(entry), LearningSaved(to_learning(hook.log_view.state, entry, hook.rules.decay))]
        )
    finally:
        log.close()
    hook.log_view.read_now()


def load_hook(koi: Koi) -> LearningHook:
    """Return the learning hook as it is configured; raise KoiError if it is disabled."""
    with suppress(PluginNotFoundError):
        hook = asyncio.run(koi.load("hooks", "learning"))
        if isinstance(hook, LearningHook):
            return hook
    raise KoiError("Learning is disabled. Remove `enabled = false` from [hooks.learning] in the config file.")
