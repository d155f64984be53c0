"""Prompt the user at the terminal, and notify when a question was answered elsewhere.

What was typed before a question never answers it.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from openkoi_base.terminal import can_prompt
from openkoi_hookspecs import NO, YES, Koi, Question, Record, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog.report import truncate_line

from .answers import format_no
from .choice_prompt import Choice, read_choice, read_line, read_whole_line
from .escape import escape_controls
from .setting_names import WAIT_SECONDS

if TYPE_CHECKING:
    from openkoi_terminal.approval_request import ApprovalRequest, ApprovalScope

    from .live_output import LineOutput, TerminalOutput

INSTEAD = "What should OpenKoi do instead? (Enter to skip) "


REFUSE = Choice("n", "No, and say what to do instead (n, esc)", NO)


@dataclass(slots=True)
class TerminalPrompt:
    """Prompts the user; ``left`` are shown questions that were answered elsewhere.

    ``allowed`` is what the user allowed for the rest of the task, ``folder`` where it works.
    """

    live: "LineOutput | TerminalOutput | None" = None
    folder: Path | None = None
    asked: dict[str, str] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    allowed: "set[ApprovalScope]" = field(default_factory=set)

    async def ask(self, question: Question) -> str | None:
        """Show the question and return the answer; an empty line is not an answer."""
        from openkoi_terminal.approval_request import read_approval_request

        if self.live:
            self.live.pause(question.identity)
        try:
            request = read_approval_request(question)
            return await (self.ask_approval(request) if request else self.ask_line(question))
        except asyncio.CancelledError:
            self.left.add(question.text)
            raise
        finally:
            if self.live:
                self.live.unpause(question.identity)

    async def ask_line(self, question: Question) -> str | None:
        """Show a question and read a line."""
        choices = f" [{'/'.join(question.choices)}]" if question.choices else ""
        click.echo(f"\n{escape_controls(question.text)}", err=True, nl=False)
        return (await read_whole_line(f"{choices} ")).strip() or None

    async def ask_approval(self, request: "ApprovalRequest") -> str | None:
        """Show a tool call with numbered answers; a call that was allowed for the task is shown but needs no answer."""
        from openkoi_terminal import show_hidden
        from openkoi_terminal.approval_request import describe_request
        from openkoi_terminal.style import detect_style

        style = detect_style(sys.stderr)
        if request.scope in self.allowed:
            text = show_hidden(request.command or request.tool)
            click.echo(style.mark(f"  allowed for this task: {text}", "dim"), err=True)
            return YES
        choices = list_choices(request)
        lines = [
            *describe_request(request, style, folder=self.folder),
            *(f"  {place}. {one.label}" for place, one in enumerate(choices, 1)),
        ]
        click.echo("\n" + "\n".join(lines), err=True)
        answer = await read_choice(choices, is_begun=self.live is not None and self.live.has_begun_line)
        if answer == "always" and request.scope:
            self.allowed.add(request.scope)
            return YES
        if answer == NO:
            click.echo(INSTEAD, err=True, nl=False)
            return format_no(await read_line())
        return answer

    def print_line(self, text: str) -> None:
        """Print a line above what is drawn on the terminal."""
        if self.live:
            self.live.print_line(text)
        else:
            click.echo(text, err=True)

    def observe(self, record: Record) -> None:
        """Notify the user when a shown question was answered elsewhere."""
        match record.event:
            case events.QuestionAsked(id=id, text=text):
                self.asked[id] = text
            case events.QuestionAnswered(id=id, answer=answer):
                text = self.asked.pop(id, "")
                if answer and text in self.left:
                    self.print_line(f"\n  Answered in another process: {escape_controls(answer)}")
                self.left.discard(text)


def list_choices(request: "ApprovalRequest") -> Sequence[Choice]:
    """Return the answers to a request; the wider one only if its scope is clear."""
    wider = Choice("a", f"Yes, and {request.scope_text} until this task ends (a)", "always")
    return (Choice("y", "Yes, this once (y)", YES), *([wider] if request.scope else []), REFUSE)


def attend_terminal(koi: Koi, live: "LineOutput | TerminalOutput", *, yes: bool = False) -> None:
    """Ask questions at the terminal, if there is one; ``yes`` answers those that policy lets ``--yes`` answer."""
    at_terminal = can_prompt(sys.stderr)
    terminal = TerminalPrompt(live, koi.workspace)
    if at_terminal:
        koi.listen(terminal.observe)
    if at_terminal or yes:
        koi.attend(FlagAnswer(koi, live, terminal.ask if at_terminal else None).ask if yes else terminal.ask)


@dataclass(frozen=True, slots=True)
class FlagAnswer:
    """Answers yes if policy lets the option ``--yes`` do so; the terminal answers the rest, if there is one."""

    koi: Koi
    live: "LineOutput | TerminalOutput"
    otherwise: Callable[[Question], Awaitable[str | None]] | None

    async def ask(self, question: Question) -> str | None:
        """Answer a question, or leave it to the terminal; without one, it waits as if the option were not set."""
        if question.by_flag:
            self.live.print_line(f"  approved by --yes: {truncate_line(question.text.rpartition(chr(10))[2], 100)}")
            return YES
        if self.otherwise:
            return await self.otherwise(question)
        await asyncio.sleep(self.koi.setting(WAIT_SECONDS, float, 0.0))
        return None
