"""Notify the user when another window has the focus: a bell, and a notification that passes through tmux."""

import os
from collections.abc import Mapping

BELL = "\x07"


def notice(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return a bell and a notification (OSC 9)."""
    message = f"\x1b]9;{text}\x07"
    if environ.get("TMUX"):
        message = f"\x1bPtmux;{message.replace(chr(27), chr(27) * 2)}\x1b\\"
    return BELL + message
