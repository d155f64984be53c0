"""Complete the word that is typed (Tab, autocomplete): commands, files and earlier messages, listed below the input."""

from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING

from prompt_toolkit.buffer import Buffer

from .input_history import MessageHistory
from .menu import Menu, match_fuzzy
from .screen_view import ScreenView
from .select_list import Item

if TYPE_CHECKING:
    from .chat import ChatProgram

FILES_SECONDS = 5.0  # for which a list of files is used again
MAX_ITEMS = 50
SEARCHING = "Earlier messages (Ctrl-R: next)"
NOTHING_FOUND = "No earlier message contains that."


class Lists:
    """Fills the menu from what is typed, and inserts the chosen item."""

    def __init__(self, buffer: Buffer, screen: ScreenView) -> None:
        self.buffer = buffer
        self.screen = screen
        self.menu = Menu(screen.rows, screen.style)
        self.chat: ChatProgram | None = None
        self.history = MessageHistory()
        self.files: Sequence[str] = ()
        self.listed_at = -FILES_SECONDS
        self.dismissed = False

    def attach(self, chat: "ChatProgram") -> None:
        """Use the conversation, which has been loaded."""
        self.chat = chat
        self.update()

    def update(self) -> None:
        """Show what completes the word at the cursor."""
        self.dismissed = False
        if self.menu.title:
            self.show_found()
            return
        before = self.buffer.document.text_before_cursor
        word = before.split()[-1] if before and not before[-1].isspace() else ""
        if before.startswith("/") and " " not in before and "\n" not in before:
            self.menu.show(self.command_items(before[1:]), 0)
            if self.chat and not self.chat.added.knows_skills:
                self.chat.start(self.load_skills(self.chat))
        elif word.startswith("@") and self.chat:
            self.list_files()
            items = [Item(name, "", mention(name)) for name in match_fuzzy(word[1:], self.files)[:MAX_ITEMS]]
            self.menu.show(items, len(before) - len(word))
        elif self.menu.is_open:
            self.menu.close()

    def command_items(self, typed: str) -> Sequence[Item]:
        """Return the commands that begin with what is typed, or contain its letters."""
        from .command_table import COMMANDS
        from .other_names import ALIASES, HINTS, RUNS

        known = {one.name: (one.takes, one.description) for one in COMMANDS}
        known |= {name: ("", summary) for name, summary in (self.chat.added.all if self.chat else {}).items()}
        if typed in {*ALIASES, *RUNS, *HINTS} - known.keys():
            return ()  # Enter runs it, and nothing else that its letters are in
        begin = sorted((name for name in known if name.startswith(typed)), key=lambda name: name != typed)
        names = begin or match_fuzzy(typed, known)
        return [Item(f"/{name} {known[name][0]}".rstrip(), known[name][1], f"/{name}") for name in names]

    async def load_skills(self, chat: "ChatProgram") -> None:
        """Add the skills to the list; finding them takes a moment."""
        await chat.added.find_skills(chat.require_koi().workspace)
        self.add_found()

    def list_files(self) -> None:
        """List the files of the folder, unless that was done a moment ago."""
        if self.chat and monotonic() - self.listed_at > FILES_SECONDS:
            self.listed_at = monotonic()
            self.chat.start(self.load_files())

    async def load_files(self) -> None:
        from .cli_commands import current_folder
        from .files import list_files

        assert self.chat is not None
        workspace = self.chat.require_koi().workspace
        self.files = await list_files(workspace, current_folder(workspace))
        self.add_found()

    def add_found(self) -> None:
        """Show what was found meanwhile, unless the user has closed the list since the last key."""
        if not self.dismissed:
            self.update()
            self.screen.refresh()

    def accept(self, *, run: bool) -> bool:
        """Take the selected item; return whether the line is complete and ``run`` asks to enter it."""
        item, menu, moved = self.menu.current, self.menu, self.menu.selected > 0
        if menu.title:
            self.finish(item)
            return False
        start = menu.start
        typed = self.buffer.document.text_before_cursor
        menu.close()
        if run and typed.startswith("/") and not (moved or item.text.startswith(typed)):
            return True  # as it was typed: a list by letters may begin with something else
        needs_words = item.label.startswith("/") and " " in item.label and "[" not in item.label
        text = f"{item.text} " if needs_words or (item.label.startswith("/") and not run) else item.text
        self.buffer.delete_before_cursor(len(self.buffer.document.text_before_cursor) - start)
        self.buffer.insert_text(text)
        menu.close()
        return run and item.label.startswith("/") and not needs_words

    def close(self) -> None:
        """Close the list without a choice."""
        if self.menu.title:
            self.finish(None)
        else:
            self.menu.close()
            self.dismissed = True
            self.screen.refresh()

    def finish(self, item: Item | None) -> None:
        """Close a list of earlier messages, and use the one that was chosen."""
        on_choice = self.menu.on_choice
        self.menu.close()
        if on_choice and item:
            on_choice(item)
        self.screen.refresh()

    def search(self, history: MessageHistory) -> None:
        """Show the earlier messages that contain what is typed; pressing the key again selects the next one."""
        self.history = history
        if self.menu.title:
            self.menu.move(1)
        else:
            self.show_found()

    def show_found(self) -> None:
        """Show the earlier messages that contain what has been typed; end the search if there are none."""
        items = [Item(text, "", text) for text in self.history.search(self.buffer.text)]
        if not items:
            self.screen.show_hint(NOTHING_FOUND)
        self.menu.show(items, 0, title=SEARCHING if items else "", on_choice=self.replace_text)
        self.screen.refresh()

    def replace_text(self, item: Item) -> None:
        """Put an earlier message into the input."""
        self.buffer.text = item.text
        self.buffer.cursor_position = len(item.text)


def mention(name: str) -> str:
    """Return how a message names a file."""
    return f'@"{name}" ' if " " in name else f"@{name} "
