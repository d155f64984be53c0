"""The protocol of a screen: the same for one that is drawn and for one that is read line by line."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY
from typing import Protocol

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_terminal import Style


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a question: the key that gives it, and its words. ``wants_text`` asks for more in the input."""

    key: str
    label: str
    value: str
    _: KW_ONLY
    wants_text: str = ""


@dataclass(frozen=True, slots=True)
class Dialog:
    """A question with numbered choices; without choices, the answer is text. Esc gives the last choice."""

    lines: Sequence[str]
    choices: Sequence[Choice] = ()
    text_prompt: str = ""


class View(Protocol):
    """Where the chat is shown."""

    style: Style

    def print(self, text: str) -> None:
        """Print finished text, which stays."""

    def add_answer(self, text: str) -> None:
        """Add a piece of an answer as it streams in."""

    def end_answer(self) -> None:
        """Finish the answer that is coming in."""

    def start_clock(self, working: Callable[[], str]) -> None:
        """Show what is under way until ``stop_clock``."""

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
