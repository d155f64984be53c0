"""The protocol between the conversation and the program that shows it."""

from collections.abc import Mapping, Sequence
from typing import Protocol

NO_IMAGES: Mapping[str, bytes] = {}


class Front(Protocol):
    """The program around a view: its input, its lists, and its end."""

    def quit(self) -> None:
        """Leave the chat."""

    def set_input(self, text: str, images: Mapping[str, bytes] = NO_IMAGES) -> None:
        """Put a text into the input, with the images behind its chips."""

    def input_draft(self) -> tuple[str, dict[str, bytes]]:
        """Return the text of the input, and the images behind its chips."""

    def send(self, sequence: str) -> None:
        """Write one of OpenKoi's control sequences to the terminal."""

    def open_editor(self) -> None:
        """Open $EDITOR with the input."""

    def show_status(self, text: str) -> None:
        """Show a text in the line below the input."""

    def describe_keys(self) -> Sequence[tuple[str, str]]:
        """Return the keys and what they do, for the help."""

    def switch_to_plain(self) -> None:
        """Continue line by line, without drawing."""

    def show_busy(self, text: str) -> None:
        """Show the current activity, until the text is empty."""
