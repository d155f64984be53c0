"""Resolve the command of a command line. Commands are imported when they are called.

Options may be anywhere. If the first word that is not an option is the name of a command, it is that command; anything
else is a task. A quoted argument with a space is always a task, and ``--`` ends the options. A line that looks like a
missing command runs as a task only after confirmation.
"""

import inspect
import os
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from .async_command import run_async_command
from .command_words import find_first_word, find_words
from .frontends import FrontendCommand, refuse_options_before
from .invocation import Invocation

if TYPE_CHECKING:
    from openkoi_hookspecs import InstalledPlugin

COMMANDS: Mapping[str, str] = {
    "approvals": "List the questions that need your answer.",
    "approve": "Approve a task's request.",
    "bisect": "Find the plugin that caused a task's bad result.",
    "blame": "Show what each plugin, hook, model, tool and learning added to a task.",
    "config": "Show, change and edit settings.",
    "completion": "Print a shell completion script.",
    "diff": "Show what a task changed, as a unified diff.",
    "doctor": "Check your setup and suggest fixes.",
    "export": "Export task history.",
    "fork": "Re-run a task from an earlier iteration with different settings.",
    "import": "Import task history.",
    "memory": "Search, check and rebuild memory.",
    "migrate": "Report whether the run log or an export needs a migration.",
    "models": "List the models of each role, and those of a provider.",
    "plugin": "Create, certify, install, remove and configure plugins.",
    "plugins": "List installed plugins, what they add, and which are broken.",
    "redo": "Reapply a task's changes that were undone or reverted.",
    "reject": "Reject a task's request, with a reason.",
    "replay": "Replay a recorded task.",
    "resume": "Resume a task that was interrupted or is waiting for approval, or follow up on it.",
    "run": "Run a task, or an agent: openkoi run AGENT.yaml TASK...",
    "sessions": "List and search past sessions.",
    "status": "Show memory, recent tasks, tokens and cost.",
    "trust": "List and revoke saved answers.",
    "undo": "Undo a task's changes and keep later ones.",
    "update": "Update OpenKoi and its plugins.",
}
PLUGIN_COMMANDS = {
    "context": "Show a task's prompt, and where each part comes from.",
    "demo": "Watch OpenKoi repair a small project. Needs no API key.",
    "evaluate": "Evaluate existing work with tests, linters and a judge.",
    "init": "Set up a model.",
}  # of this distribution, found by entry points as those of others
ALIASES = {"self-update": "update"}
MODULES = {"bisect": "bisect.command", "import": "import_", "plugin": "plugin_kit.command", "run": "run_task"}
AGENT = "agent"
AS_TASK = ("-p", "--print")
TASK_MARKS = frozenset({"--", "--stdin", *AS_TASK})
SUMMARY = "Run a task, evaluate the result, and retry until it meets your quality bar. Piped input is added as context."
WIDEST, NARROWEST = 80, 50
LONGEST_SUMMARY = 1000  # characters; no limit in practice


class OpenKoi(click.Group):
    """Run a task, evaluate the result, and retry until it meets the quality bar."""

    def __init__(self, invocation: Invocation) -> None:
        self.invocation = invocation
        self.script_command = ""
        super().__init__(
            "openkoi",
            help=SUMMARY,
            subcommand_metavar="TASK... | COMMAND [ARGS]...",
            context_settings={"obj": invocation, "help_option_names": ["-h", "--help"], "terminal_width": help_width()},
            params=[
                click.Option(["--config"], metavar="PATH", help="Use this config file.", expose_value=False),
                click.Option(
                    ["--verbose"], is_flag=True, help="Enable verbose output and show tracebacks.", expose_value=False
                ),
                click.Option(
                    ["-V", "--version"],
                    is_flag=True,
                    is_eager=True,
                    expose_value=False,
                    callback=print_version,
                    help="Print the version.",
                ),
            ],
            epilog="Exit: 0 accepted, 1 failed, 2 usage, 3 below the threshold, 4 budget, 5 time, 6 regression, "
            "7 loop, 8 needs approval, 9 no provider, 75 try again later, 130 interrupted.",
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not asks_for_group(args):
            refuse_options_before(args, self.frontends)
            args = self.name_command(args, [*self.list_commands(ctx), *ALIASES])
            if not ctx.resilient_parsing:
                confirm_task(args, self.list_commands(ctx))
        return super().parse_args(ctx, args)

    def name_command(self, args: list[str], known: list[str]) -> list[str]:
        """Return a line that begins with its command: a known one, a script, or ``run``."""
        named = put_command_first(args, known)
        if named[0] != "run" or args[:1] == ["run"]:
            return named
        from .script_commands import name_script_command

        of_script = name_script_command(args, self.invocation)
        self.script_command = of_script[0] if of_script else ""
        return of_script or named

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*COMMANDS, *self.plugin_commands, *self.frontends})

    @cached_property
    def plugin_commands(self) -> "dict[str, InstalledPlugin]":
        """Commands of plugins."""
        return {one.name: one for one in self.invocation.launcher.plugins("commands")}

    @cached_property
    def frontends(self) -> "dict[str, InstalledPlugin]":
        """Other frontends; commands with the same name hide them."""
        there = self.invocation.frontends.items()
        return {name: one for name, one in there if name not in COMMANDS and name not in self.plugin_commands}

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        name = ALIASES.get(name, name)
        if name in self.frontends:
            return FrontendCommand(name)
        if name in COMMANDS or name == AGENT:
            from importlib import import_module

            command = import_module(f"openkoi_cli.{MODULES.get(name, name)}").command
        else:
            is_plugin = name in self.plugin_commands or name == self.script_command
            command = self.load_plugin_command(ctx, name) if is_plugin else None
        if isinstance(command, click.Group):
            keep_summaries(command)
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return "run" if name == AGENT else name, command, rest

    def load_plugin_command(self, ctx: click.Context, name: str) -> object:
        """Load the click command that a plugin adds as an entry point of ``openkoi.commands``; its object is a Koi."""
        command = self.invocation.load("commands", name)
        ctx.obj = self.invocation.koi
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Format the options of tasks first, because a task needs no command."""
        from .run_task import command

        records = [option.get_help_record(ctx) for option in command.params if isinstance(option, click.Option)]
        with formatter.section("Task options"):
            formatter.write_dl([record for record in records if record])
        super().format_options(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Format the commands without importing them."""
        plugins = {**self.plugin_commands, **self.frontends}
        brought = {name: f"{one.read_summary()} ({one.distribution})".lstrip() for name, one in plugins.items()}
        own = {name for name, one in plugins.items() if one.distribution == "openkoi-cli"}
        ours = {name: text for name, text in PLUGIN_COMMANDS.items() if name in own}
        with formatter.section("Commands"):
            formatter.write_dl(sorted({**brought, **ours, **COMMANDS}.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Format the exit statuses, and a tip."""
        from .tips import choose_daily_tip

        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        formatter.write_text(choose_daily_tip())

    def invoke(self, ctx: click.Context) -> Any:
        result = super().invoke(ctx)
        ended = run_async_command(self.invocation, result) if inspect.iscoroutine(result) else result
        if self.invocation.koi or self.invocation.reader:
            from .log_limit import limit_log

            limit_log(self.invocation)
        return ended


def keep_summaries(group: click.Group) -> None:
    """Wrap the summaries of commands in a group's help, which click would cut off."""
    for command in group.commands.values():
        command.short_help = command.short_help or command.get_short_help_str(LONGEST_SUMMARY)


def help_width() -> int:
    """Return the width of help texts; click's own function imports every compression module."""
    try:
        columns = int(os.environ.get("COLUMNS", "") or os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError, AttributeError):
        columns = WIDEST
    return max(min(columns or WIDEST, WIDEST) - 2, NARROWEST)


def print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        click.echo(f"openkoi {ctx.obj.launcher.version}")
        ctx.exit()


def asks_for_group(args: list[str]) -> bool:
    return not args or args[0] in ("-h", "--help", "-V", "--version")


def put_command_first(args: list[str], commands: list[str]) -> list[str]:
    """Move the command to the front: the one that the first word names, else ``run``."""
    place = find_first_word(args)
    if place is None or args[place] not in commands or any(word in AS_TASK for word in args[:place]):
        return ["run", *args]
    rest = [*args[:place], *args[place + 1 :]]
    return resolve_run(args, rest) if args[place] == "run" else [args[place], *rest]


def resolve_run(args: list[str], rest: list[str]) -> list[str]:
    """Resolve ``run``: an agent if a file follows, a command if a quoted task follows, else a word of a task."""
    place = find_first_word(rest)
    if place is None or names_agent(rest[place]):
        return ["run" if place is None else AGENT, *rest]
    return ["run", *(rest if " " in rest[place] else args)]


def names_agent(word: str) -> bool:
    """Return whether a word is the path of an agent's file; with a space only if the file exists."""
    return (" " not in word and word.lower().endswith((".yaml", ".yml"))) or os.path.isfile(word)  # noqa: PTH113  # no pathlib on the start path


def confirm_task(args: Sequence[str], commands: Sequence[str]) -> None:
    """Ask for confirmation if a task looks like a mistyped command; without a terminal, raise UsageError."""
    places = [*find_words(args[1:])]
    words = [args[1:][place] for place in places]
    if args[0] != "run" or not TASK_MARKS.isdisjoint(args) or words in ([], ["-"]):
        return
    import shlex

    from openkoi_base.terminal import can_prompt

    from .planned_commands import explain_doubt

    why = explain_doubt(words[1:] if words[0] == "run" and words[1:] else words, commands)
    if why and is_explained(args):
        return
    if why and not can_prompt(sys.stderr):
        options = [word for place, word in enumerate(args[1:]) if place not in places]
        task = [" ".join(words)] if len(words) > 1 else ["--", *words]
        raise click.UsageError(f"{why} To run it as a task, run `{shlex.join(['openkoi', *options, *task])}`.")
    if why and not click.confirm(f"{why} Run it as a task?", default=False, err=True):
        raise click.UsageError("Nothing was run.")


def is_explained(args: Sequence[str]) -> bool:
    """Return whether a line has an option of another program, which is explained when it is rejected."""
    from .other_programs import INSTEAD

    return any(word.partition("=")[0] in INSTEAD for word in args)
