"""Build the query of memory for a task: its text, and the relevant parts of piped input.

Of a traceback that is the error with its message and the frames next to it; of other input, its first lines.
"""

import re
from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Query, Task

RECALL_SHARE = 10  # recall may take a tenth of the task's tokens (DESIGN section 2)
MAX_INPUT = 20_000  # characters looked at on each side of long input: a traceback ends a log, a report begins a file
MAX_ERRORS, MAX_FRAMES = 3, 4  # memory weighs 64 words of a query: the task's own and about this much
MAX_LINE, MAX_LEAD = 200, 300
MAX_SCANNED_CHARACTERS = (
    300  # characters of a line: the patterns take quadratic time, and what names an error or a place is short
)
MAX_LEAD_LINES = 8  # more lines before the first error are a log, and say nothing about it
PYTHON_FRAME = re.compile(r'\s*File "(?P<path>[^"]+)", line \d+(?:, in (?P<name>\S+))?')
AT_FRAME = re.compile(
    r"\s*at (?:async |new )?(?:(?P<name>[\w.$<>/\[\]]+)(?=[ (]))?.*?(?P<path>[^\s():]+\.\w{1,5}):(?:line )?\d+"
)
PATH_FRAME = re.compile(
    r"\s*(?:from |--> |\([^)]*\) |#\d+ \S+ in \S+ )?"
    r"(?P<path>[\w./\\@-]+\.\w{1,5}):\d+(?::\d+)?(?::? ?in [`']?(?P<name>[\w.#]+)|\b|:)"
)
GROUP = re.compile(r"^\s*[|+-]*[|+] ")  # what Python prints before each line of an exception group
STACK = (PYTHON_FRAME, AT_FRAME)
FRAMES = (*STACK, PATH_FRAME)
ERROR = re.compile(
    r"\b[A-Z]\w*(?:Error|Exception|Failure|Fault|Interrupt)\b|\b(?:error|ERROR|fatal|FATAL|CRITICAL|panic|panicked|FAILED|aborted)\b"
    r"|^E\s+\S|^(?:[\w.]+\.)?[A-Z]\w+: \S|Segmentation fault|Caused by:"
)
NOISE = re.compile(
    r"\s*(?:Traceback \(most recent call last\)|goroutine \d|stack backtrace|During handling of|[=_]{3}|[\^~ -]*$)"
)
FOREIGN = re.compile(r"site-packages|dist-packages|/lib/python|<frozen |node_modules|node:|/rustc/|/usr/|java\.base")


def build_recall_query(task: Task) -> Query:
    """Return the query to memory."""
    return Query(build_recall_text(task), project=task.project, tokens=task.effective_limits.tokens // RECALL_SHARE)


def build_recall_text(task: Task) -> str:
    """Return the text that memory is searched with."""
    return "\n".join(filter(None, (task.text, *condense_input(task.context))))


def condense_input(text: str) -> Sequence[str]:
    """Return the most relevant lines of piped input: errors, the frames next to them, and its beginning."""
    lines = [GROUP.sub("", line[:MAX_SCANNED_CHARACTERS]) for line in cut_middle(text).splitlines()]
    places = [place for place, line in enumerate(lines) if is_error_line(line)][-MAX_ERRORS:]
    errors = [error_message(lines, place) for place in reversed(places)]
    frames = [place for place, line in enumerate(lines) if parse_frame(line) and place not in places]
    own = [place for place in frames if not FOREIGN.search(lines[place])] or frames
    near = sorted(own, key=lambda place: frame_distance(place, places))[:MAX_FRAMES]
    start = min([*places, *frames], default=0)
    first = lines[:start] if start <= MAX_LEAD_LINES else ()
    return list(
        dict.fromkeys((*errors, *(parse_frame(lines[one]) for one in near), *leading_lines(first if errors else lines)))
    )


def cut_middle(text: str) -> str:
    """Return the beginning and the end of long input."""
    return text if len(text) <= 2 * MAX_INPUT else f"{text[:MAX_INPUT]}\n{text[-MAX_INPUT:]}"


def is_error_line(line: str) -> bool:
    """Return whether a line names an error, and is neither code nor the frame of a stack."""
    return bool(ERROR.search(line)) and not line.startswith((" ", "\t")) and not any(one.match(line) for one in STACK)


def error_message(lines: Sequence[str], place: int) -> str:
    """Return an error with its message, which may stand on the next line."""
    more = lines[place + 1] if lines[place].endswith(":") and place + 1 < len(lines) else ""
    return f"{lines[place].strip()} {more.strip()}".strip()[:MAX_LINE]


def parse_frame(line: str) -> str:
    """Return the file and the function that a line of a stack trace names; empty if it is none."""
    found = next((match for frame in FRAMES if (match := frame.match(line))), None)
    if found is None:
        return ""
    path = "/".join(re.split(r"[/\\]", found["path"])[-2:])
    return f"{path} {found['name'] or ''}".strip()[:MAX_LINE]


def frame_distance(place: int, places: Sequence[int]) -> int:
    """Return how far a frame is from an error: the innermost one is next to it, above in Python, below elsewhere."""
    return min((abs(place - error) for error in places), default=0)


def leading_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield the first meaningful lines, as many as there is room for."""
    room = MAX_LEAD
    for line in filter(None, map(str.strip, lines)):
        if NOISE.match(line):
            continue
        yield line[:room]
        room -= len(line)
        if room <= 0:
            return
