"""Show the user's messages: in the scrollback, and above the input while they wait, with when they are read."""

from collections.abc import Iterable, Iterator

from openkoi_terminal import Style, strip_controls

STEERS = "joins before the next model call"
QUEUED = "the next task, when this one ends"
STARTING = "the first task, when OpenKoi is ready"
PAUSED = "waits: Enter sends it, Up edits it"
BESIDE = "in the background, /background lists and stops"


def quote(text: str, style: Style) -> str:
    """Return the user's words as they stand in the scrollback."""
    first, *rest = strip_controls(text).split("\n")
    lines = [f"> {first}", *(f"  {line}" for line in rest)]
    return "\n" + "\n".join(style.mark(line, "bold") for line in lines)


def format_notes(sign: str, texts: Iterable[str], when: str, style: Style) -> Iterator[str]:
    """Yield a line for each message that waits, with the moment when it will be read."""
    for text in texts:
        yield f"{sign} {shorten(text)} {style.mark(f'· {when}', 'dim')}"


def shorten(text: str, most: int = 60) -> str:
    """Return the beginning of a message in one line."""
    line = " ".join(strip_controls(text).split())
    return f'"{line if len(line) <= most else line[: most - 1] + "…"}"'
