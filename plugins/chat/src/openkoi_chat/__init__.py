"""The chat: bare ``openkoi`` on a terminal opens it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from openkoi_hookspecs import Launcher


class Chat:
    """Talks with the user on a terminal."""

    def run(self, launcher: "Launcher") -> "int | Awaitable[int]":
        """Open the chat; return the exit status. Its other modules are imported after the prompt is drawn."""
        from .start import start

        return start(launcher)
