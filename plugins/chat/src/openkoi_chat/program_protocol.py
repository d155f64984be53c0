"""The protocol between the conversation and the program that shows it."""

from collections.abc import Sequence
from typing import Protocol

from .menu import Item


class Front(Protocol):
    """The program around a view: its input, its lists, and its end."""

    def quit(self) -> None:
        """Leave the chat."""

    def set_input(self, text: str) -> None:
        """Put a text into the input."""

    def input_text(self) -> str:
        """Return what stands in the input."""

    def send(self, sequence: str) -> None:
        """Write a control sequence of ours to the terminal."""

    def open_editor(self) -> None:
        """Open $EDITOR with the input."""

    def show_status(self, text: str) -> None:
        """Show a text in the line below the input."""

    async def pick(self, title: str, items: Sequence[Item]) -> Item | None:
        """Let the user choose from a list; None if nothing was chosen."""
