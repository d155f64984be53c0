"""Which command a line means. A task needs no command; commands are imported when they are called.

Options stand anywhere. The first bare word decides: the name of a command is that command, all else is a task. One
quoted argument with a space is always a task, and ``--`` ends the options. What looks like a command that does not
exist runs as a task only after a question.
"""

import inspect
import os
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import click

from .async_command import run_async_command
from .frontends import FrontendCommand, refuse_options_before
from .invocation import Invocation
from .words import bare_places, first_bare

COMMANDS: Mapping[str, str] = {
    "approvals": "List the questions that wait for a person.",
    "approve": "Say yes to what a task has asked for.",
    "completion": "Print the completion script of a shell.",
    "diff": "Show what a task changed, as a unified diff.",
    "doctor": "Say what works here and what does not, with the remedy.",
    "export": "Take tasks out, for another machine, a program or a person.",
    "fork": "Begin a task as another one began, and go on otherwise.",
    "import": "Bring in the tasks of another machine.",
    "memory": "Search what is remembered, build it again, check it.",
    "migrate": "Bring memory into the format of this version.",
    "plugins": "List what is installed, what it adds, and what is broken.",
    "redo": "Reapply a task's changes that were undone or reverted.",
    "reject": "Say no to what a task has asked for, and why.",
    "replay": "Show a task again from its log; nothing is called.",
    "resume": "Go on with a task that ended before its time.",
    "run": "Do a task, or let an agent do it: openkoi run AGENT.yaml TASK...",
    "status": "Show memory, the last tasks, tokens and cost.",
    "trust": "List what you allowed or refused for good, and revoke it.",
    "undo": "Undo a task's changes and keep those made since.",
    "update": "Bring OpenKoi and its plugins up to date.",
}
ALIASES = {"self-update": "update"}
MODULES = {"import": "import_"}
AGENT = "agent"
SENTENCE = "Do a task, judge the work, and try again until it is good enough. What is piped in is the task's context."
WIDEST, NARROWEST = 80, 50


class OpenKoi(click.Group):
    """An agent that does a task, judges its own work, and tries again until it is good enough."""

    def __init__(self, invocation: Invocation) -> None:
        self.invocation = invocation
        super().__init__(
            "openkoi",
            help=SENTENCE,
            subcommand_metavar="TASK... | COMMAND [ARGS]...",
            context_settings={"obj": invocation, "help_option_names": ["-h", "--help"], "terminal_width": width()},
            params=[
                click.Option(["--config"], metavar="PATH", help="Use this configuration file.", expose_value=False),
                click.Option(
                    ["--verbose"], is_flag=True, help="Say more, and where errors happened.", expose_value=False
                ),
                click.Option(
                    ["-V", "--version"],
                    is_flag=True,
                    is_eager=True,
                    expose_value=False,
                    callback=version,
                    help="Print the version.",
                ),
            ],
            epilog="Exit: 0 accepted, 1 failed, 2 usage, 3 below the threshold, 4 budget, 5 time, 6 regression, "
            "7 loop, 8 needs a person, 9 no provider, 75 try again later, 130 interrupted.",
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not asks_for_group(args):
            refuse_options_before(args, self.frontends)
            args = addressed(args, [*self.list_commands(ctx), *ALIASES])
            if not ctx.resilient_parsing:
                confirm_task(args, self.list_commands(ctx))
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*COMMANDS, *self.brought, *self.frontends})

    @cached_property
    def brought(self) -> dict[str, str]:
        """Commands that plugins bring, by the distribution they come from."""
        return {one.name: one.distribution for one in self.invocation.launcher.plugins("commands")}

    @cached_property
    def frontends(self) -> dict[str, str]:
        """Other frontends, by the distribution they come from; a command of the same name hides one."""
        there = self.invocation.frontends.items()
        return {name: one for name, one in there if name not in COMMANDS and name not in self.brought}

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        name = ALIASES.get(name, name)
        if name in self.frontends:
            return FrontendCommand(name)
        if name in COMMANDS or name == AGENT:
            from importlib import import_module

            command = import_module(f"openkoi_cli.{MODULES.get(name, name)}").command
        else:
            command = self.load(ctx, name) if name in self.brought else None
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return "run" if name == AGENT else name, command, rest

    def load(self, ctx: click.Context, name: str) -> object:
        """A plugin's command; its context object is a Koi."""
        command = self.invocation.load("commands", name)
        ctx.obj = self.invocation.koi
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of tasks first, for a task needs no command."""
        from .run import command

        records = [option.get_help_record(ctx) for option in command.params if isinstance(option, click.Option)]
        with formatter.section("Options of tasks"):
            formatter.write_dl([record for record in records if record])
        super().format_options(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List commands by what is known without importing them."""
        from .summaries import summaries

        plugins = {**self.brought, **self.frontends}
        said = summaries(plugins.values())
        brought = {name: f"{said.get(one, '')} ({one})".lstrip() for name, one in plugins.items()}
        with formatter.section("Commands"):
            formatter.write_dl(sorted({**brought, **COMMANDS}.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The exit statuses, and a hint."""
        from .tips import tip_of_the_day

        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        formatter.write_text(tip_of_the_day())

    def invoke(self, ctx: click.Context) -> Any:
        result = super().invoke(ctx)
        ended = run_async_command(self.invocation, result) if inspect.iscoroutine(result) else result
        if self.invocation.koi:
            from .storing import keep_in_store

            keep_in_store(self.invocation)
        return ended


def width() -> int:
    """How wide help is; asked here, because click's own way imports every compression there is."""
    try:
        columns = int(os.environ.get("COLUMNS", "") or os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError, AttributeError):
        columns = WIDEST
    return max(min(columns or WIDEST, WIDEST) - 2, NARROWEST)


def version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        click.echo(f"openkoi {ctx.obj.launcher.version}")
        ctx.exit()


def asks_for_group(args: list[str]) -> bool:
    return not args or args[0] in ("-h", "--help", "-V", "--version")


def addressed(args: list[str], commands: list[str]) -> list[str]:
    """Put the command in front: the one that the first bare word names, else ``run``."""
    place = first_bare(args)
    if place is None or args[place] not in commands:
        return ["run", *args]
    rest = [*args[:place], *args[place + 1 :]]
    return run_of(args, rest) if args[place] == "run" else [args[place], *rest]


def run_of(args: list[str], rest: list[str]) -> list[str]:
    """What ``run`` means: an agent when its file comes next, a command before a quoted task, else a task's word."""
    place = first_bare(rest)
    if place is None or names_agent(rest[place]):
        return ["run" if place is None else AGENT, *rest]
    return ["run", *(rest if " " in rest[place] else args)]


def names_agent(word: str) -> bool:
    """Whether a word is the path of an agent's file; words with a space only when the file is there."""
    return (" " not in word and word.lower().endswith((".yaml", ".yml"))) or os.path.isfile(word)  # noqa: PTH113  # no pathlib on the start path


def confirm_task(args: Sequence[str], commands: Sequence[str]) -> None:
    """Ask before running a line that looks like a command as a task; without a terminal, refuse it."""
    words = [args[1:][place] for place in bare_places(args[1:])]
    if args[0] != "run" or "--" in args or "--stdin" in args or words in ([], ["-"]):
        return
    import shlex

    from .doubtful import explain_doubt
    from .person import somebody_there

    why = explain_doubt(words[1:] if words[0] == "run" and words[1:] else words, commands)
    if why and not somebody_there():
        raise click.UsageError(f"{why} To run it as a task: openkoi -- {shlex.join(words)}")
    if why and not click.confirm(f"{why} Run it as a task?", default=False, err=True):
        raise click.UsageError("Nothing was run.")
