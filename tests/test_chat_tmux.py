"""The chat in a real tmux: notifications that pass through it, and the cursor behind what an input method types."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from chat_terminal import says
from cli_process import Shell, shell
from test_chat_figures import TMUX, tmux, until
from wcwidth import wcswidth

pytestmark = pytest.mark.skipif(not TMUX, reason="needs tmux")
FOCUS_LOST = ("Escape", "[O")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.folder / "script.yaml").write_text(f"turns:\n{says('Well.', '')}")
    return openkoi.with_environment(OPENKOI_MODEL="scripted/script.yaml", OPENKOI_ITERATE="0")


def test_a_notification_passes_through_tmux_while_another_window_has_the_focus(openkoi: Shell, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    with tmux(openkoi, tmp_path / "socket") as send:
        until(partial(shows, send, "for commands"))
        send("set-option", "-g", "monitor-bell", "on")
        send("pipe-pane", f"cat > {raw}")
        for line, keys, ends in (("with the focus", (), 1), ("without it", FOCUS_LOST, 2)):
            send("send-keys", "-l", line)
            until(partial(shows, send, f"> {line}"))
            send("send-keys", *keys, "Enter")
            until(partial(shows, send, "[done]", times=ends))
        until(lambda: b"\x1bPtmux;\x1b\x1b]9;OpenKoi is done\x07\x1b\\" in raw.read_bytes())
        until(lambda: send("display-message", "-p", "#{session_alerts}").strip())

        assert 1 == raw.read_bytes().count(b"OpenKoi is done")


def test_the_cursor_is_behind_what_an_input_method_has_typed(openkoi: Shell, tmp_path: Path) -> None:
    with tmux(openkoi, tmp_path / "socket") as send:
        until(partial(shows, send, "for commands"))
        for draft in ("\u6f22\u5b57\u304b\u306a", "e\u0301a", "\ud55c\uae00", "\u6f22" * 60):
            for character in draft:  # as they are committed
                send("send-keys", "-l", character)
            until(partial(has_cursor, send, 2 + wcswidth(draft) % 98))  # in a row or two of 100 columns
            send("send-keys", "C-u")


def shows(send: Callable[..., str], text: str, *, times: int = 1) -> bool:
    """Return whether a text is on the screen a number of times."""
    return send("capture-pane", "-p").count(text) == times


def has_cursor(send: Callable[..., str], column: int) -> bool:
    """Return whether the cursor is in a column."""
    return send("display-message", "-p", "#{cursor_x}").strip() == str(column)
