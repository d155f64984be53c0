"""The screen as the conversation uses it: a view with dialogs, numbered blocks, programs and notifications."""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.key_binding import KeyBindingsBase

from openkoi_terminal import Style

from .dialog_box import DialogBox
from .frame_output import FOCUS_OFF, FOCUS_ON
from .notifications import notice
from .screen import Screen
from .view import Dialog

MAX_BLOCKS = 500  # of an answer's blocks, so that a long chat does not grow; /copy takes the newest


class ScreenView(Screen):
    """Implements ``View`` on a screen that is drawn."""

    def __init__(self, buffer: Buffer, bindings: KeyBindingsBase, style: Style) -> None:
        super().__init__(buffer, bindings, style)
        self.dialogs = DialogBox(self.rows, buffer, self.note, self.refresh)
        self.sources: dict[int, list[str]] = {}
        self.on_block = self.keep_block
        self.default_hint = ""
        self.shown_hint = ""
        self.has_focus = True

    def keep_block(self, number: int, source: str) -> None:
        """Keep the Markdown of a block, for ``/copy``."""
        self.sources.setdefault(number, []).append(source)
        while len(self.sources) > MAX_BLOCKS:
            del self.sources[next(iter(self.sources))]

    def block(self, number: int) -> str | None:
        """Return the Markdown of a numbered block."""
        found = self.sources.get(number)
        return "\n".join(found).rstrip("\n") if found else None

    async def choose(self, dialog: Dialog) -> str | None:
        """Ask the user."""
        return await self.dialogs.ask(dialog)

    def show_hint(self, text: str) -> None:
        """Show a hint below the input, until the next key; without a hint, show the usual line."""
        self.shown_hint, self.rows.hint = text, text or self.default_hint
        self.refresh()

    def hide_hint(self) -> None:
        """Show the usual line again."""
        if self.shown_hint:
            self.show_hint("")

    async def run_in_terminal(self, command: Sequence[str]) -> int:
        """Give a program control of the terminal, and redraw when it has ended."""
        from prompt_toolkit.application import in_terminal

        self.release_terminal()
        try:
            async with in_terminal():
                process = await asyncio.create_subprocess_exec(*command)
                return await process.wait()
        finally:
            self.take_terminal()

    async def suspend(self) -> None:
        """Stop this process and those of its group, as Ctrl-Z does, and draw again when the shell continues it."""
        from prompt_toolkit.application import in_terminal

        if sys.platform == "win32":
            return
        self.release_terminal()
        try:
            async with in_terminal():
                os.kill(0, signal.SIGTSTP)
        finally:
            self.take_terminal()

    def release_terminal(self) -> None:
        """Draw finished text, and stop the terminal's focus reports: another program would read them."""
        self.draw()
        self.send(FOCUS_OFF)

    def take_terminal(self) -> None:
        """Draw again, including text that was finished meanwhile."""
        self.send(FOCUS_ON)
        self.refresh()

    def notify(self, text: str) -> None:
        """Ring and notify, if another window has the focus."""
        if not self.has_focus:
            self.send(notice(text))

    def send(self, sequence: str) -> None:
        """Write one of OpenKoi's control sequences, which changes nothing on the screen."""
        self.output.write_raw(sequence)
        self.output.flush()
