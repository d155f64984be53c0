"""The protocol of a screen: the same for one that is drawn and for one that is read line by line."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY
from typing import Protocol

from openkoi_base.printable import indent_further
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_terminal import Style, strip_controls


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a question: the key that gives it, and its words. ``wants_text`` asks for more in the input."""

    key: str
    label: str
    value: str
    _: KW_ONLY
    detail: str = ""
    wants_text: str = ""


@dataclass(frozen=True, slots=True)
class Dialog:
    """A question with numbered choices; without choices, the answer is text. Esc gives the last choice.

    Its lines are printed when it is asked, so that they stay; ``full`` are all of them, where some were left out.
    ``is_list``: the user has asked for it, so it leaves nothing behind, and Esc gives no answer.
    """

    lines: Sequence[str]
    choices: Sequence[Choice] = ()
    text_prompt: str = ""
    full: Sequence[str] = ()
    selected: int = 0
    is_list: bool = False

    @property
    def all_lines(self) -> Sequence[str]:
        """The lines, none of them left out."""
        return self.full or self.lines


async def pick(view: "View", title: str, choices: Sequence[Choice], *, selected: int = 0) -> str:
    """Let the user choose from a list; return the value of the choice, empty if nothing was chosen."""
    return await view.choose(Dialog([title], choices, selected=selected, is_list=True)) or ""


def warn(view: "View", text: str) -> None:
    """Print what went wrong; foreign text in it cannot control the terminal."""
    view.note(f"  ! {indent_further(strip_controls(text))}", "yellow")


class View(Protocol):
    """Where the chat is shown."""

    style: Style
    shows_source: bool
    """Whether answers are shown as the model wrote them."""
    shows_input: bool
    """Whether what the user entered stays where it was typed."""

    @property
    def columns(self) -> int:
        """How many columns it has; 0 where lines may have any length."""

    def print(self, text: str) -> None:
        """Print finished text, which stays."""

    def note(self, text: str, *marks: str) -> None:
        """Print lines of our own, broken between words, in these colours."""

    def add_answer(self, text: str) -> None:
        """Add a piece of an answer as it streams in."""

    def end_answer(self) -> None:
        """Finish the answer that is coming in."""

    def start_clock(self, working: Callable[[int], str]) -> None:
        """Show what is under way, in so many columns (0: any), until ``stop_clock``."""

    def stop_clock(self) -> None:
        """Remove the working line."""

    def set_notes(self, notes: Sequence[str]) -> None:
        """Show messages that wait."""

    async def choose(self, dialog: Dialog) -> str | None:
        """Ask the user; return the value of the choice, with the text behind a colon if it wants one."""

    def show_hint(self, text: str) -> None:
        """Show a short hint below the input, until the next key."""

    def block(self, number: int) -> str | None:
        """Return the Markdown of a numbered block of an answer; None if there is none."""

    async def run_in_terminal(self, command: Sequence[str]) -> int:
        """Hand the terminal to a program; return its exit status."""

    def notify(self, text: str) -> None:
        """Call the user back, if another window has the focus."""
