"""The chat on a screen. The prompt is drawn first; OpenKoi is loaded while the user types."""

import asyncio
import gc
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.key_binding import DynamicKeyBindings, KeyBindings

from openkoi_terminal import detect_style

from .completion_lists import Lists
from .frame_output import FOCUS_OFF, FOCUS_ON
from .input_field import Entry
from .key_actions import KeyActions
from .key_bindings import make_bindings
from .key_table import describe_keys
from .layout import SEPARATOR
from .options import Options
from .program_protocol import NO_IMAGES
from .screen_view import ScreenView

if TYPE_CHECKING:
    from openkoi_hookspecs import Launcher

    from .chat import ChatProgram

HINT = "? for keys · / for commands"
STARTING = "starting… · ? for keys"
PICK = "/resume"
END_SIGNALS = ("SIGTERM", "SIGHUP")
GOODBYE = "To continue this session, run `openkoi -c`."


async def run_chat(launcher: "Launcher", options: Options) -> int:
    """Run the chat until the user leaves; return the exit status."""
    program = ScreenProgram(launcher, options)
    status = await program.run()
    if not program.goes_on_plain or program.actions.chat is None:
        return status
    from .line_mode import run_plain

    session = program.actions.chat.session
    return await run_plain(launcher, Options(session=session.session if session.last_run else "", plain=True))


class ScreenProgram:
    """Connects the keys, the input and the screen with the conversation, once that is loaded."""

    def __init__(self, launcher: "Launcher", options: Options) -> None:
        self.launcher = launcher
        self.options = options
        self.buffer = Buffer(multiline=True)
        self.bindings = KeyBindings()
        self.screen = ScreenView(self.buffer, DynamicKeyBindings(lambda: self.bindings), detect_style(sys.stdout))
        self.entry = Entry(self.buffer, self.screen)
        self.lists = Lists(self.buffer, self.screen)
        self.actions = KeyActions(self.screen, self.entry, self.lists, self.quit)
        self.bindings = make_bindings(self.actions)
        self.error = ""
        self.busy = ""
        self.goes_on_plain = False
        self.screen.default_hint = STARTING

    async def run(self) -> int:
        """Draw the prompt, load the rest, and return the exit status when the user has left."""
        for name in END_SIGNALS if sys.platform != "win32" else ():
            asyncio.get_running_loop().add_signal_handler(getattr(signal, name), self.quit)
        self.screen.show_hint("")
        status = 0
        try:
            await self.screen.app.run_async(pre_run=self.begin_loading)
        except (EOFError, OSError):  # the terminal is gone
            status = 129
        finally:
            await self.leave()
        if self.error:
            print(self.error, file=sys.stderr)
        return 2 if self.error else status

    async def leave(self) -> None:
        """Stop everything that is running."""
        chat = self.actions.chat
        if chat:
            await chat.close()
        with suppress(OSError):
            self.screen.send(FOCUS_OFF)
            if chat and chat.session.last_run and not self.goes_on_plain:
                print(GOODBYE)
        if not self.goes_on_plain:
            gc.freeze()  # the process ends: looking for garbage among all objects once more takes 0.1 s

    def begin_loading(self) -> None:
        """Load the conversation once the prompt is drawn."""
        self.screen.output.write_raw(FOCUS_ON)
        self.screen.app.create_background_task(self.load())

    async def load(self) -> None:
        """Load OpenKoi while the user types, then run what has been entered."""
        from importlib import import_module

        await asyncio.sleep(0)
        module = await asyncio.to_thread(import_module, "openkoi_chat.continued_chat")
        from openkoi_hookspecs import KoiError

        try:
            chat: ChatProgram = module.ChatProgram(self.launcher, self.options, self.screen, self)
            await module.open_chat(chat)
        except KoiError as error:
            self.error = f"Error: {error}"
            self.quit()
            return
        self.load_keys()
        self.entry.history.open(chat.history_file, chat.require_koi().redact)
        self.entry.history.add(chat.old_draft)
        self.entry.images.update(chat.old_images)
        self.lists.attach(chat)
        await self.show_banner(chat)
        self.actions.attach(chat)
        if self.options.picks:
            self.actions.run_command(PICK)

    def load_keys(self) -> None:
        """Use the user's own keys, if there are any; if they contain an error, keep the default ones."""
        from openkoi_hookspecs import ConfigError

        from .key_map import FILE, read_key_map
        from .view import warn

        try:
            self.actions.table = read_key_map(self.launcher.paths().config.parent / FILE)
        except ConfigError as error:
            warn(self.screen, str(error))
            return
        self.bindings = make_bindings(self.actions, self.actions.table)

    async def show_banner(self, chat: "ChatProgram") -> None:
        """Print the banner and any error, then the status line, since keys work now."""
        from .banner import FIRST_USE, find_model, make_banner

        koi = chat.require_koi()
        chat.model = await find_model(koi)
        if not (self.options.continued or self.options.session):
            self.screen.note(await make_banner(koi, self.launcher.version, chat.session.sessions), "dim")
        if chat.is_first:
            self.screen.note(FIRST_USE)
        chat.show_status()

    def quit(self) -> None:
        """Leave the chat."""
        if self.screen.app.is_running and not self.screen.app.is_done:
            self.screen.app.exit(result=0)

    # The conversation's side

    def set_input(self, text: str, images: Mapping[str, bytes] = NO_IMAGES) -> None:
        """Put a text into the input, with the images behind its chips."""
        self.entry.images.update(images)
        self.entry.set_text(text)

    def input_draft(self) -> tuple[str, dict[str, bytes]]:
        """Return the draft, also while an answer is being written."""
        dialogs = self.screen.dialogs
        text = dialogs.draft if dialogs.takes_text else self.buffer.text
        return self.entry.expand_pastes(text), self.entry.images_in(text)

    def send(self, sequence: str) -> None:
        self.screen.send(sequence)

    def open_editor(self) -> None:
        """Open $EDITOR with the input."""
        self.actions.open_editor()

    def show_status(self, text: str) -> None:
        """Show the mode and the model below the input; the hint about keys takes precedence over the model's name."""
        from .banner import SET_UP

        model = text.rpartition(SEPARATOR)[2]
        self.screen.default_hint = SEPARATOR.join((text, HINT))
        self.screen.rows.spare = "" if model == SET_UP else model
        self.screen.show_hint("")

    def describe_keys(self) -> Sequence[tuple[str, str]]:
        """Return the key bindings in use."""
        return describe_keys(self.actions.table)

    def switch_to_plain(self) -> None:
        """Leave the screen, and continue with the same session line by line."""
        self.goes_on_plain = True
        self.quit()

    def show_busy(self, text: str) -> None:
        """Show below the input what is being done, until it is empty; a later hint stays."""
        if text or self.screen.shown_hint == self.busy:
            self.screen.show_hint(text)
        self.busy = text
