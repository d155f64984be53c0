"""Implement what each key does: Enter, Escape, Tab, Ctrl-C and the others."""

import asyncio
from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from .completion_lists import Lists
from .input_field import Entry
from .key_table import ACTIONS, KeyAction, describe_keys
from .screen_view import ScreenView

if TYPE_CHECKING:
    from .attachments import Draft
    from .chat import ChatProgram

SIGNS = ("!", "#")  # that begin something else than a message
CLEAR_HINT = "Press Esc again to set the draft aside."
QUIT_HINT = "Press Ctrl-C again to quit."
STASHED = "Draft set aside; Up restores it."
STOPPED = "Stopped."
TOO_EARLY = "You typed that before the question appeared. Press the key again to answer."
MARKED = "Press Enter to choose the marked answer, or keep typing to write a message."
DOUBLE_SECONDS = {"escape": 0.6, "interrupt": 2.0}
SAVE_SECONDS = 0.06  # after a change of the draft: a killed chat loses less than 0.1 s of it, with the time to write


class KeyActions:
    """Acts on the input, the lists, the screen and the conversation, once that is loaded."""

    def __init__(self, screen: ScreenView, entry: Entry, lists: Lists, leave: Callable[[], None]) -> None:
        self.screen = screen
        self.entry = entry
        self.lists = lists
        self.leave = leave
        self.buffer = entry.buffer
        self.chat: ChatProgram | None = None
        self.waiting: list[tuple[Draft, bool]] = []
        self.pressed: dict[str, float] = {}
        self.table: Sequence[KeyAction] = ACTIONS
        self.saver: asyncio.TimerHandle | None = None
        self.buffer.on_text_changed += self.note_text

    def attach(self, chat: "ChatProgram") -> None:
        """Use the conversation, which has been loaded; send what was entered before."""
        self.chat = chat
        entered, self.waiting = self.waiting, []
        chat.session.show_notes()
        for draft, queue in entered:
            self.hand_over(chat, draft, queue=queue)
        if self.buffer.text:
            self.save()

    def hand_over(self, chat: "ChatProgram", draft: "Draft", *, queue: bool = False) -> None:
        """Pass a line to the conversation."""
        from .handle_input import enter

        enter(chat, draft, queue=queue)

    # State that conditions of keys look at

    @property
    def in_menu(self) -> bool:
        return self.lists.menu.is_open and not self.in_dialog

    @property
    def in_dialog(self) -> bool:
        return self.screen.dialogs.takes_choice

    @property
    def in_list(self) -> bool:
        return self.in_menu or self.in_dialog

    @property
    def without_text(self) -> bool:
        return not self.buffer.text and not self.in_dialog

    @property
    def on_first_line(self) -> bool:
        return not self.in_list and self.buffer.document.cursor_position_row == 0

    @property
    def on_last_line(self) -> bool:
        return not self.in_list and self.buffer.document.is_cursor_at_the_end

    @property
    def is_working(self) -> bool:
        """Whether a task is running."""
        return self.chat is not None and self.chat.session.handle is not None

    # Sending

    def press_enter(self) -> None:
        """Enter the line: a message, a command or an answer; with an empty input, give the marked answer."""
        dialogs = self.screen.dialogs
        if dialogs.takes_text:
            dialogs.submit_text(self.buffer.text)
        elif self.in_dialog and (dialogs.has_moved or not self.buffer.text):
            dialogs.end_text()
            self.give_answer(dialogs.choose_marked)
        elif self.in_menu and not self.lists.accept(run=True):
            return
        elif not self.entry.continues_line():
            self.enter(queue=False)

    def press_tab(self) -> None:
        """Complete a word from the list; without a list, queue the message during a task."""
        if self.in_menu:
            self.lists.accept(run=False)
        elif self.is_working and self.buffer.text.strip() and not self.buffer.text.lstrip().startswith("!"):
            self.enter(queue=True)

    def enter(self, *, queue: bool) -> None:
        """Pass the message to the conversation; keep it until OpenKoi is ready."""
        draft = self.entry.take_draft()
        if draft is None:
            if self.chat:
                self.chat.session.go_on()
        elif self.chat:
            self.hand_over(self.chat, draft, queue=queue)
        else:
            self.waiting.append((draft, queue))
            self.screen.set_notes([f"⇥ {one.text} · will be sent when OpenKoi is ready" for one, _ in self.waiting])

    # Stopping

    def press_escape(self) -> None:
        """Close a list, refuse, interrupt, or show a hint; the second time, set the draft aside or rewind."""
        if self.in_menu:
            self.lists.close()
        elif self.screen.dialogs.waits:
            self.screen.dialogs.reject()
        elif self.is_working and self.chat:
            self.chat.session.interrupt()
        elif self.chat and self.chat.stop_work():
            self.screen.show_hint(STOPPED)
        elif self.buffer.text in SIGNS:
            self.entry.clear()
        elif not self.pressed_twice("escape"):
            self.screen.show_hint(CLEAR_HINT if self.buffer.text else "")
        elif self.buffer.text:
            self.put_aside()
        elif self.chat:
            self.run_command("/rewind")

    def press_interrupt(self) -> None:
        """Interrupt the task; without a task, set the draft aside, and quit the second time."""
        if self.is_working and self.chat:
            self.chat.session.interrupt()
        elif self.screen.dialogs.waits:
            self.screen.dialogs.reject()
        elif self.chat and self.chat.stop_work():
            self.screen.show_hint(STOPPED)
        elif self.buffer.text:
            self.put_aside()
        elif self.pressed_twice("interrupt"):
            self.leave()
        else:
            self.screen.show_hint(QUIT_HINT)

    def put_aside(self) -> None:
        """Empty the input; the Up key restores the draft."""
        self.entry.stash()
        self.screen.show_hint(STASHED)

    def press_end(self) -> None:
        """Quit, because the input is empty."""
        self.leave()

    def pressed_twice(self, key: str) -> bool:
        """Return whether a key was also pressed a moment ago."""
        now, before = monotonic(), self.pressed.get(key, 0.0)
        self.pressed[key] = now
        return now - before <= DOUBLE_SECONDS[key]

    # Editing

    def note_text(self, _: object) -> None:
        """Update the list and the hint, and save the draft soon."""
        self.screen.hide_hint()
        if not self.screen.dialogs.takes_text:
            self.lists.update()
        if self.saver is None and self.chat:
            self.saver = asyncio.get_running_loop().call_later(SAVE_SECONDS, self.save)

    def save(self) -> None:
        """Save the draft."""
        self.saver = None
        if self.chat:
            self.chat.save()

    def answer_dialog(self, key: str) -> None:
        """Mark an answer to a question with a key; after a draft, or if it is not a single key, it is text."""
        dialogs = self.screen.dialogs
        text = key if self.buffer.text else dialogs.take_key(key)
        if text is None:
            self.screen.show_hint(TOO_EARLY)
        elif text:
            dialogs.note_key()
            self.buffer.insert_text(text)
        else:
            self.screen.show_hint(MARKED if dialogs.has_marked and dialogs.waits else "")

    def give_answer(self, answer: Callable[[], None]) -> None:
        """Answer the question, if it was shown long enough to be read."""
        if self.screen.dialogs.takes_keys:
            self.screen.hide_hint()
            answer()
        else:
            self.screen.dialogs.note_key()
            self.screen.show_hint(TOO_EARLY)

    def paste(self, text: str) -> None:
        """Insert pasted text."""
        self.entry.paste(text)

    def insert_line(self) -> None:
        self.buffer.newline(copy_margin=False)

    def list_up(self) -> None:
        self.move(-1)

    def list_down(self) -> None:
        self.move(1)

    def move(self, by: int) -> None:
        """Mark another line of the list or the question."""
        if self.in_dialog:
            self.give_answer(lambda: self.screen.dialogs.move(by))
        else:
            self.lists.menu.move(by)

    def recall_older(self) -> None:
        """Show an earlier message; with an empty input, withdraw a queued message."""
        if not self.buffer.text and self.chat and (text := self.chat.session.withdraw_message()):
            self.entry.set_text(text)
        else:
            self.entry.recall(older=True)

    def recall_newer(self) -> None:
        self.entry.recall(older=False)

    def search_history(self) -> None:
        self.lists.search(self.entry.history)

    def paste_image(self) -> None:
        self.screen.app.create_background_task(self.entry.paste_image())

    # Looking

    def show_keys(self) -> None:
        """List the keys."""
        from .tables import format_pairs

        self.screen.print("\n".join(format_pairs(describe_keys(self.table), self.screen.columns)))

    def run_command(self, line: str) -> None:
        """Run a command of the chat."""
        from .slash_commands import run_command

        if self.chat:
            self.chat.start(run_command(self.chat, line))

    def show_all(self) -> None:
        """Show the full text of an open question in the pager."""
        dialog = self.screen.dialogs.open
        if self.chat and dialog:
            self.chat.start(self.chat.show_in_pager("\n".join(dialog.all_lines)))

    def cycle_mode(self) -> None:
        """Switch the mode of the next task: ask before each change, edit freely, or only plan."""
        if self.chat:
            self.chat.set_mode(self.chat.settings.mode.next)

    def move_to_background(self) -> None:
        if self.chat:
            self.chat.session.move_to_background()

    def redraw(self) -> None:
        """Draw the rows again, without clearing the screen."""
        with self.screen.output.frame():
            self.screen.app.renderer.erase()
            self.screen.app.draw_now(self.screen.rows.count)

    def suspend(self) -> None:
        self.screen.app.create_background_task(self.screen.suspend())

    def gain_focus(self) -> None:
        self.screen.has_focus = True

    def lose_focus(self) -> None:
        self.screen.has_focus = False

    def open_editor(self) -> None:
        """Open $EDITOR with the input; long pastes are shown in full."""
        self.entry.expand()
        self.screen.release_terminal()
        self.buffer.open_in_editor().add_done_callback(lambda _: self.screen.take_terminal())
