"""The input: drafts with chips for images and long pastes, earlier messages, and drafts that were set aside."""

from typing import TYPE_CHECKING

from prompt_toolkit.buffer import Buffer

from .input_history import MessageHistory
from .screen_view import ScreenView

if TYPE_CHECKING:
    from .attachments import Draft

LONG_PASTE = 10  # lines above which a paste becomes a chip
LONG_PASTED_LINES = 2_000  # characters above which it does too: about as much as those lines (estimate)
NO_IMAGE = "No image in the clipboard."


class Entry:
    """The text of the input, and the contents of its chips."""

    def __init__(self, buffer: Buffer, screen: ScreenView) -> None:
        self.buffer = buffer
        self.screen = screen
        self.history = MessageHistory()
        self.pasted: dict[str, str] = {}
        self.images: dict[str, bytes] = {}

    def continues_line(self) -> bool:
        """Insert a line break where Enter does not submit: after a backslash, and within an unmarked paste.

        In a paste, keys before and after Enter arrive with it. Timing is less reliable: if the program was busy, what
        a user typed arrives at once as well.
        """
        if self.buffer.document.text_before_cursor.endswith("\\"):
            self.buffer.delete_before_cursor()
        elif not self.screen.is_pasting:
            return False
        self.buffer.newline(copy_margin=False)
        return True

    def take_draft(self) -> "Draft | None":
        """Return the message and empty the input; None if there is none."""
        from .attachments import Draft

        text = self.buffer.text.strip()
        if not text:
            return None
        images = self.images_in(text)
        self.history.add(text, full := self.expand_pastes(text))
        self.clear()
        return Draft(full, images)

    def images_in(self, text: str) -> dict[str, bytes]:
        """Return the images whose chips stand in a text."""
        return {chip: data for chip, data in self.images.items() if chip in text}

    def expand_pastes(self, text: str) -> str:
        """Return a text with its chips replaced by the pasted text."""
        for chip, pasted in self.pasted.items():
            text = text.replace(chip, pasted)
        return text

    def expand(self) -> None:
        """Show pasted text in full."""
        self.buffer.text = self.expand_pastes(self.buffer.text)

    def clear(self) -> None:
        """Empty the input; keep the contents of chips for earlier messages that are recalled."""
        self.buffer.reset()

    def stash(self) -> None:
        """Set the draft aside; the Up key restores it."""
        self.history.add(self.buffer.text, self.expand_pastes(self.buffer.text))
        self.clear()

    def recall(self, *, older: bool) -> None:
        """Show an earlier or later message."""
        found = self.history.older(self.buffer.text) if older else self.history.newer()
        if found is not None:
            self.set_text(found)

    def set_text(self, text: str) -> None:
        """Replace the draft."""
        self.buffer.text = text
        self.buffer.cursor_position = len(text)

    def paste(self, text: str) -> None:
        """Insert pasted text; an image's path and a text of many lines become chips."""
        from openkoi_base.counts import format_count

        from .clipboard import read_image_path

        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if data := read_image_path(text):
            self.add_image(data)
        elif text.count("\n") >= LONG_PASTE or len(text) > LONG_PASTED_LINES:
            lines = text.removesuffix("\n").count("\n") + 1
            chip = f"[Pasted text #{len(self.pasted) + 1}, {format_count(lines, 'line')}]"
            self.pasted[chip] = text
            self.buffer.insert_text(chip)
        else:
            self.buffer.insert_text(text)

    async def paste_image(self) -> None:
        """Attach the image in the clipboard."""
        from .clipboard import read_clipboard_image

        if data := await read_clipboard_image():
            self.add_image(data)
        else:
            self.screen.show_hint(NO_IMAGE)

    def add_image(self, data: bytes) -> None:
        """Insert a chip for an image."""
        chip = f"[Image #{len(self.images) + 1}]"
        self.images[chip] = data
        self.buffer.insert_text(chip)
