"""Read what a linter printed, up to a limit."""

from contextlib import suppress
from pathlib import Path

from openkoi_hookspecs import CommandResult, Finding
from openkoi_hookspecs.lazy_dataclass import dataclass

from .messages import normalize_message

MAX_BYTES = 4_000_000  # about 10,000 findings of ruff; 1,000 files that are not Python can print 100 MB


@dataclass(frozen=True, slots=True)
class PrintedOutput:
    """How a linter ended and what it printed; ``cut`` if there was more than is read."""

    exit_code: int
    text: str
    cut: bool = False
    timed_out: bool = False


def take_output(done: CommandResult) -> PrintedOutput:
    """Return the complete lines that are read, and delete the file that contains the output."""
    text, cut = done.output, False
    if done.output_file:
        with suppress(OSError):
            text, cut = read_beginning(Path(done.output_file))
        with suppress(OSError):
            Path(done.output_file).unlink()
    return PrintedOutput(done.exit_code, text, cut, done.timed_out)


def read_beginning(path: Path) -> tuple[str, bool]:
    """Return the lines at the beginning of a file, and whether there are more."""
    with path.open("rb") as file:
        data = file.read(MAX_BYTES)
        cut = bool(file.read(1))
    whole = data.rpartition(b"\n")[0] if cut else data
    return whole.decode("utf-8", errors="replace"), cut


def failure_finding(name: str, printed: PrintedOutput) -> Finding:
    """Return the finding for a linter that failed, for example because of its configuration."""
    if printed.cut:
        return Finding(f"{name} printed more than {MAX_BYTES // 1_000_000} MB, which is the limit", rule=name)
    lines = [line.strip() for line in printed.text.splitlines() if line.strip()]
    why = normalize_message(lines[-1])[:140] if lines else "no output"
    return Finding(f"{name} fails: {why}", rule=name, detail="\n".join(lines[-20:])[-2000:])
