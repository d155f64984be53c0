"""The default key bindings of the chat: what each key does, and the name of that action in ``keys.toml``."""

from collections.abc import Sequence

from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class KeyAction:
    """What keys do: the method or command that they call, and when. Without a summary, the action is not listed."""

    name: str
    keys: tuple[str, ...]
    method: str
    condition: str = ""
    summary: str = ""


ACTIONS = (
    KeyAction(
        "send", ("enter",), "press_enter", "", "send; the current task reads the message before its next model call"
    ),
    KeyAction("queue", ("tab",), "press_tab", "", "queue the message as the next task; complete a command or file"),
    KeyAction(
        "escape", ("esc",), "press_escape", "", "close a list, refuse a question, or interrupt and keep the work"
    ),
    KeyAction(
        "interrupt", ("ctrl-c",), "press_interrupt", "", "interrupt; set the draft aside (Up restores it); twice: quit"
    ),
    KeyAction("quit", ("ctrl-d",), "press_end", "without_text", "quit, if the input is empty"),
    KeyAction("newline", ("ctrl-j", "alt-enter"), "insert_line", "", "new line; so does a backslash before Enter"),
    KeyAction("menu_up", ("up", "ctrl-p"), "list_up", "in_list"),
    KeyAction("menu_down", ("down", "ctrl-n"), "list_down", "in_list"),
    KeyAction("older", ("up",), "recall_older", "on_first_line", "earlier messages"),
    KeyAction("newer", ("down",), "recall_newer", "on_last_line", "later messages"),
    KeyAction("search", ("ctrl-r",), "search_history", "", "search earlier messages"),
    KeyAction("editor", ("ctrl-g", "ctrl-x ctrl-e"), "open_editor", "", "write the message in $EDITOR"),
    KeyAction("image", ("ctrl-v", "alt-v"), "paste_image", "", "attach the image in the clipboard"),
    KeyAction(
        "mode", ("shift-tab",), "cycle_mode", "", "switch modes: ask before each change, edit freely, or only plan"
    ),
    KeyAction("background", ("ctrl-b",), "move_to_background", "is_working", "continue the task in the background"),
    KeyAction("iterations", ("ctrl-t",), "/progress", "", "show the plan, iterations and scores so far"),
    KeyAction("transcript", ("ctrl-o",), "/transcript", "", "show the transcript of the last task"),
    KeyAction("show_all", ("ctrl-a",), "show_all", "in_dialog", "show the full text of a request for approval"),
    KeyAction("redraw", ("ctrl-l",), "redraw", "", "redraw the screen"),
    KeyAction("suspend", ("ctrl-z",), "suspend", "", "suspend"),
    KeyAction("help", ("?",), "show_keys", "without_text"),
)
LISTED_AFTER = {"escape": ("Esc Esc", "rewind conversation and files to an earlier message")}
SIGNS = ("/ @ ! # ?", "command, file, shell command, memory, this list")


def describe_keys(actions: Sequence[KeyAction] = ACTIONS) -> list[tuple[str, str]]:
    """Return the keys of each action, and what they do."""
    rows: list[tuple[str, str]] = []
    for action in actions:
        if action.summary and action.keys:
            rows.append((", ".join(map(format_key, action.keys)), action.summary))
        if action.name in LISTED_AFTER:
            rows.append(LISTED_AFTER[action.name])
    return [*rows, SIGNS]


def format_key(key: str) -> str:
    """Return a key as a user reads it: ``Ctrl-X Ctrl-E``."""
    return " ".join("-".join(part.capitalize() for part in press.split("-")) for press in key.split())
