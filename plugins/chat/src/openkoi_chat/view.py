"""The protocol of a view, which may be drawn on a screen or printed line by line."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY
from typing import Protocol

from openkoi_base.printable import indent_further
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_terminal import Style, strip_controls


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a question: its key and its label. ``wants_text``: the user must also type a text."""

    key: str
    label: str
    value: str
    _: KW_ONLY
    detail: str = ""
    wants_text: str = ""


@dataclass(frozen=True, slots=True)
class Dialog:
    """A question with numbered choices; without choices, the answer is text. Esc selects the last choice.

    Its lines are printed when it is asked, so that they stay; ``full`` are all lines, if some were omitted.
    ``is_list``: the user requested it, so it is not kept in the scrollback, and Esc gives no answer.
    """

    lines: Sequence[str]
    choices: Sequence[Choice] = ()
    text_prompt: str = ""
    full: Sequence[str] = ()
    selected: int = 0
    is_list: bool = False

    @property
    def all_lines(self) -> Sequence[str]:
        """All lines, including omitted ones."""
        return self.full or self.lines


async def pick(view: "View", title: str, choices: Sequence[Choice], *, selected: int = 0) -> str:
    """Let the user choose from a list; return the value of the choice, empty if nothing was chosen."""
    return await view.choose(Dialog([title], choices, selected=selected, is_list=True)) or ""


def warn(view: "View", text: str) -> None:
    """Print what went wrong; untrusted text in it cannot control the terminal."""
    view.note(f"  ! {indent_further(strip_controls(text))}", "yellow")


class View(Protocol):
    """Where the chat is shown."""

    style: Style
    shows_source: bool
    """Whether answers are shown as the model wrote them."""
    shows_input: bool
    """Whether the user's input stays where it was typed."""

    @property
    def columns(self) -> int:
        """How many columns it has; 0 if lines may have any length."""

    def print(self, text: str) -> None:
        """Print finished text, which stays."""

    def note(self, text: str, *marks: str) -> None:
        """Print OpenKoi's own lines, broken between words, in these colours."""

    def add_answer(self, text: str) -> None:
        """Add a piece of an answer as it streams in."""

    def end_answer(self) -> None:
        """Finish the answer that is coming in."""

    def start_clock(self, working: Callable[[int], str]) -> None:
        """Show the current step, in this many columns (0: any number), until ``stop_clock``."""

    def stop_clock(self) -> None:
        """Remove the working line."""

    def set_notes(self, notes: Sequence[str]) -> None:
        """Show queued messages."""

    async def choose(self, dialog: Dialog) -> str | None:
        """Ask the user; return the value of the choice, followed by a colon and the text if it takes one."""

    def show_hint(self, text: str) -> None:
        """Show a short hint below the input, until the next key."""

    def block(self, number: int) -> str | None:
        """Return the Markdown of a numbered block of an answer; None if there is none."""

    async def run_in_terminal(self, command: Sequence[str]) -> int:
        """Hand the terminal to a program; return its exit status."""

    def notify(self, text: str) -> None:
        """Notify the user, if another window has the focus."""
