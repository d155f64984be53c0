"""Show the user's messages: in the scrollback, and above the input while queued, with when they will be read."""

from collections.abc import Iterable, Iterator

from openkoi_terminal import Style, strip_controls

STEERS = "will be added before the next model call"
QUEUED = "will run when the current task ends"
STARTING = "will run when OpenKoi is ready"
HELD = "will run when the command ends"
PAUSED = "waits; Enter sends it, Up edits it"
MAX_LINES = 40  # of a message in the scrollback, as of a diff
MAX_SHOWN = 4_000  # characters of those lines: about as much as fits on a screen (estimate)
BESIDE = "in the background; /background lists or stops it"


def quote(text: str, style: Style) -> str:
    """Return the user's message as the scrollback shows it, with only the beginning of a long paste."""
    shown = text[:MAX_SHOWN].split("\n")[:MAX_LINES]
    first, *rest = strip_controls("\n".join(shown)).split("\n")
    lines = [f"> {first}", *(f"  {line}" for line in rest)]
    left = len(text) - len("\n".join(shown))
    folded = [style.mark(f"  … {left:,} more characters", "dim")] if left else []
    return "\n" + "\n".join([*(style.mark(line, "bold") for line in lines), *folded])


def format_notes(sign: str, texts: Iterable[str], when: str, style: Style) -> Iterator[str]:
    """Yield a line for each queued message, with when it will be read."""
    for text in texts:
        yield f"{sign} {shorten(text)} {style.mark(f'· {when}', 'dim')}"


def shorten(text: str, most: int = 60) -> str:
    """Return the beginning of a message in one line."""
    line = " ".join(strip_controls(text).split())
    return f'"{line if len(line) <= most else line[: most - 1] + "…"}"'
