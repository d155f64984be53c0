"""Bind keys to methods."""

from collections.abc import Callable
from typing import Any

from prompt_toolkit.filters import Condition
from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

FOCUS_IN, FOCUS_OUT = Keys.ControlF23, Keys.ControlF24  # keys that no keyboard has
SEQUENCES = {
    **{"\x1b[I": FOCUS_IN, "\x1b[O": FOCUS_OUT},
    **{"\x1b[13;2u": Keys.ControlJ, "\x1b[27;2;13~": Keys.ControlJ, "\x1b[13;5u": Keys.ControlJ},  # Shift-Enter
}
BINDINGS = (
    (("enter",), "press_enter", ""),
    (("tab",), "press_tab", ""),
    (("escape",), "press_escape", ""),
    (("c-c",), "press_interrupt", ""),
    (("<sigint>",), "press_interrupt", ""),
    (("c-d",), "press_end", "without_text"),
    (("c-j",), "insert_line", ""),
    (("escape", "enter"), "insert_line", ""),
    (("up",), "menu_up", "in_menu"),
    (("down",), "menu_down", "in_menu"),
    (("c-p",), "menu_up", "in_menu"),
    (("c-n",), "menu_down", "in_menu"),
    (("up",), "recall_older", "on_first_line"),
    (("down",), "recall_newer", "on_last_line"),
    (("c-r",), "search_history", ""),
    (("c-g",), "open_editor", ""),
    (("c-x", "c-e"), "open_editor", ""),
    (("c-v",), "paste_image", ""),
    (("c-t",), "show_iterations", ""),
    (("c-o",), "show_transcript", ""),
    (("c-l",), "redraw", ""),
    (("c-z",), "suspend", ""),
    (("?",), "show_keys", "without_text"),
    ((FOCUS_IN,), "gain_focus", ""),
    ((FOCUS_OUT,), "lose_focus", ""),
)


def add_bindings(bindings: KeyBindings, actions: Any) -> None:
    """Add the bindings of the chat; what is not among them edits the input."""
    ANSI_SEQUENCES.update(SEQUENCES)
    for keys, method, condition in BINDINGS:
        bind(bindings, keys, lambda event, name=method: getattr(actions, name)(), actions, condition)  # type: ignore[misc]
    bind(bindings, (Keys.BracketedPaste,), lambda event: actions.paste(event.data), actions, "")
    bind(bindings, (Keys.Any,), lambda event: actions.answer_dialog(event.data), actions, "in_dialog")


def bind(
    bindings: KeyBindings,
    keys: tuple[Any, ...],
    action: Callable[[KeyPressEvent], None],
    actions: Any,
    condition: str,
) -> None:
    """Add a binding that holds while a property is true."""
    bindings.add(*keys, filter=Condition(lambda: bool(getattr(actions, condition))) if condition else True)(action)
