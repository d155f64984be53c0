"""Convert the table of key bindings to those of prompt_toolkit: each key calls a method or runs a command."""

from collections.abc import Callable, Sequence
from typing import Any

from prompt_toolkit.filters import Condition
from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from .key_table import ACTIONS, KeyAction

FOCUS_IN, FOCUS_OUT = Keys.ControlF23, Keys.ControlF24  # keys that no keyboard has
SEQUENCES = {
    **{"\x1b[I": FOCUS_IN, "\x1b[O": FOCUS_OUT},
    **{"\x1b[13;2u": Keys.ControlJ, "\x1b[27;2;13~": Keys.ControlJ, "\x1b[13;5u": Keys.ControlJ},  # Shift-Enter
}
ALWAYS = (("<sigint>", "press_interrupt"), (FOCUS_IN, "gain_focus"), (FOCUS_OUT, "lose_focus"))
PREFIXES = {"ctrl": "c", "shift": "s"}
NAMES = {"esc": "escape", "del": "delete", "backspace": "c-h"}


def make_bindings(actions: Any, table: Sequence[KeyAction] = ACTIONS) -> KeyBindings:
    """Return the bindings of the chat; all other keys edit the input."""
    ANSI_SEQUENCES.update(SEQUENCES)
    bindings = KeyBindings()
    for action in table:
        for key in action.keys:
            method: Callable[[KeyPressEvent], None] = lambda event, name=action.method: call(actions, name)  # type: ignore[misc]  # noqa: E731
            bind(bindings, read_key(key), method, actions, action.condition)
    for key, name in ALWAYS:
        bind(bindings, (key,), lambda event, name=name: getattr(actions, name)(), actions, "")  # type: ignore[misc]
    bind(bindings, (Keys.BracketedPaste,), lambda event: actions.paste(event.data), actions, "")
    bind(bindings, (Keys.Any,), lambda event: actions.answer_dialog(event.data), actions, "in_dialog")
    return bindings


def call(actions: Any, name: str) -> None:
    """Call a method, or run a command."""
    if name.startswith("/"):
        actions.run_command(name)
    else:
        getattr(actions, name)()


def read_key(key: str) -> tuple[str, ...]:
    """Return a key as prompt_toolkit names it: ``alt-enter`` is an escape and ``enter``; presses follow each other."""
    return tuple(part for press in key.lower().split() for part in read_press(press))


def read_press(press: str) -> tuple[str, ...]:
    """Return one press."""
    *modifiers, name = press.split("-") if len(press) > 1 else [press]
    name = NAMES.get(name, name)
    named = "-".join([*(PREFIXES.get(one, one) for one in modifiers if one != "alt"), name])
    return ("escape", named) if "alt" in modifiers else (named,)


def bind(
    bindings: KeyBindings,
    keys: tuple[Any, ...],
    action: Callable[[KeyPressEvent], None],
    actions: Any,
    condition: str,
) -> None:
    """Add a binding that is active while a property is true."""
    bindings.add(*keys, filter=Condition(lambda: bool(getattr(actions, condition))) if condition else True)(action)
