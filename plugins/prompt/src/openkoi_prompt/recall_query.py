"""Build the query of memory for a task: its text, and the relevant parts of piped input.

Of a traceback that is the error with its message and the frames next to it; of other input, its first lines.
"""

import re
from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Query, Task
from openkoi_hookspecs.lazy_pattern import lazy_pattern

RECALL_SHARE = 10  # recall may take a tenth of the task's tokens (estimate)
MAX_INPUT = 20_000  # characters looked at on each side of long input: a traceback ends a log, a report begins a file
MAX_ERRORS, MAX_FRAMES = 3, 4  # memory weighs 64 words of a query: the task's own and about this much
MAX_LINE, MAX_LEAD = 200, 300
MAX_SCANNED_CHARACTERS = (
    300  # characters of a line: the patterns take quadratic time, and what names an error or a place is short
)
MAX_LEAD_LINES = 8  # more lines before the first error are a log, and say nothing about it
FILE = r"(?P<path>[^\s():]+\.\w{1,5})"
PYTHON_FRAME = lazy_pattern(r'\s*File "(?P<path>[^"]+)", line \d+(?:, in (?P<name>\S+))?')
AT_FRAME = lazy_pattern(rf"\s*at (?:async |new )?(?:(?P<name>[\w.$<>/\[\]]+)(?=[ (]))?.*?{FILE}:(?:line )?\d+")
BARE_FRAME = lazy_pattern(r"\s+at (?P<name>[\w.<>`]+)\(")  # of .NET without symbols
NUMBERED_FRAME = lazy_pattern(  # of Dart, gdb and sanitizers
    rf"\s*#\d+\s+(?:0x[0-9a-fA-F]+ in )?(?P<name>[\w.:$<>~]+)(?: ?\([^()]*\))?(?: at | \(|\s+)(?:\w+:(?://)?)?{FILE}:\d+"
)
PHP_FRAME = lazy_pattern(r"\s*#\d+ (?P<path>[^\s()]+\.\w{1,5})\(\d+\): (?P<name>[\w\\:>-]+)")
SYMBOL_FRAME = lazy_pattern(  # of Swift, and of Apple's reports
    r"\s*\d+\s+\S+\s+0x[0-9a-f]+ (?P<name>\S+?)(?:\(\S*\))? \+ \d+"
)
RUBY_NAME = r"(?::? ?in [`'](?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )*"
ELIXIR_NAME = r"|: (?=[A-Z][\w.]+\())"
PATH_FRAME = lazy_pattern(
    r"\s*(?:from |--> |\([^)]*\) |# )?(?P<path>[\w./\\@-]+\.\w{1,5}):\d+(?::\d+)?"
    rf"(?:{RUBY_NAME}{ELIXIR_NAME}(?P<name>[\w.#]+)|\b|:)"
)
NAME_ABOVE = lazy_pattern(  # of Go and Rust
    r"(?:\s*\d+:\s+(?:0x[0-9a-f]+ - )?)?(?P<name>[\w./:<>-]*(?:\(\*?\w+\)\.)?[\w.:<>{}]+)(?:\(.*\))?$"
)
GROUP = lazy_pattern(r"^\s*[|+-]*[|+] ")  # what Python prints before each line of an exception group
STACK = (PYTHON_FRAME, AT_FRAME, NUMBERED_FRAME, PHP_FRAME, SYMBOL_FRAME, BARE_FRAME)
FRAMES = (*STACK, PATH_FRAME)
ERROR = lazy_pattern(
    r"\b[A-Z]\w*(?:Error|Exception|Failure|Fault|Interrupt)\b|\b(?:error|ERROR|fatal|FATAL|CRITICAL|panic|panicked|FAILED|aborted)\b"
    r"|^E\s+\S|^(?:[\w.]+\.)?[A-Z]\w+: \S|Segmentation fault|Caused by:"
)
NOISE = lazy_pattern(
    r"\s*(?:Traceback \(most recent call last\)|goroutine \d|stack backtrace|During handling of|[=_]{3}|[\^~ -]*$)"
)
FOREIGN = lazy_pattern(
    r"site-packages|dist-packages|/lib/python|<frozen |node_modules|node:|/rustc/|/usr/|java\.base"
    r"|\bat (?:System|Microsoft|javax?|kotlinx?|android)\.|libswift|panic\.go"
)


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
    frames = [place for place in range(len(lines)) if parse_frame(lines, place) and place not in places]
    own = [place for place in frames if not FOREIGN.search(lines[place])] or frames
    near = sorted(own, key=lambda place: frame_distance(place, places))[:MAX_FRAMES]
    start = min([*places, *frames], default=0)
    first = lines[:start] if start <= MAX_LEAD_LINES else ()
    return list(
        dict.fromkeys((*errors, *(parse_frame(lines, one) for one in near), *leading_lines(first if errors else lines)))
    )


def cut_middle(text: str) -> str:
    """Return the beginning and the end of long input."""
    return text if len(text) <= 2 * MAX_INPUT else f"{text[:MAX_INPUT]}\n{text[-MAX_INPUT:]}"


def is_error_line(line: str) -> bool:
    """Return whether a line names an error and is neither code nor a stack frame."""
    return bool(ERROR.search(line)) and not line.startswith((" ", "\t")) and not any(one.match(line) for one in STACK)


def error_message(lines: Sequence[str], place: int) -> str:
    """Return an error with its message, which may be on the next line."""
    more = lines[place + 1] if lines[place].endswith(":") and place + 1 < len(lines) else ""
    return f"{lines[place].strip()} {more.strip()}".strip()[:MAX_LINE]


def parse_frame(lines: Sequence[str], place: int) -> str:
    """Return the file and the function in a line of a stack trace; both empty for any other line.

    Go and Rust name the function on the line before.
    """
    found = next((match for frame in FRAMES if (match := frame.match(lines[place]))), None)
    if found is None:
        return ""
    named = found.groupdict()
    if not named["name"] and place and lines[place][:1].isspace():
        named["name"] = above["name"] if (above := NAME_ABOVE.match(lines[place - 1])) else ""
    path = "/".join(re.split(r"[/\\]", named.get("path") or "")[-2:])
    return f"{path} {short_name(named['name'] or '')}".strip()[:MAX_LINE]


def short_name(name: str) -> str:
    """Return the last two, most specific parts of a qualified name: a type and its method."""
    parts = re.split(r"(?<=[^.:/\\>])(\.|::|->|/|\\)(?=[^.:])", re.sub(r"[(*)]", "", name))
    return "".join(parts[-3:])


def frame_distance(place: int, places: Sequence[int]) -> int:
    """Return how far a frame is from an error: the innermost one is next to it, above in Python, below elsewhere."""
    return min((abs(place - error) for error in places), default=0)


def leading_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield the first meaningful lines, as many as fit."""
    room = MAX_LEAD
    for line in filter(None, map(str.strip, lines)):
        if NOISE.match(line):
            continue
        yield line[:room]
        room -= len(line)
        if room <= 0:
            return
