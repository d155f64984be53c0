"""Parse the tools that a skill is limited to."""

import re
from collections.abc import Iterator

from .front import one_line

AROUND = "`\"'"
BETWEEN = frozenset(" ,;\u3001\uff0c")
SAYS = re.compile(r"[\w*]")


def parse_allowed_tools(value: object) -> tuple[str, ...]:
    """Parse ``Read Bash(git:*)``, with or without commas, or a list or table of such words."""
    text = ", ".join(tool_words(value)).strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    found = (word.strip(AROUND) for word in apart(text))
    words = tuple(dict.fromkeys(word for word in found if SAYS.search(word)))
    return words or ((text,) if "(" in text or ")" in text else ())


def find_unclosed(tools: tuple[str, ...]) -> tuple[str, ...]:
    """Return those with an unclosed bracket."""
    return tuple(tool for tool in tools if tool.count("(") != tool.count(")"))


def tool_words(value: object) -> Iterator[str]:
    """Yield the words of a value: YAML makes a table of ``- Bash(npm run: x)``, and some write ``Read: true``."""
    if isinstance(value, list):
        for one in value:
            yield from tool_words(one)
    elif isinstance(value, dict):
        yield from (entry(str(name), said) for name, said in value.items() if said is not False)
    else:
        yield one_line(value)


def entry(name: str, said: object) -> str:
    """A name and what is said of it: the rest of a pattern, a pattern, or nothing."""
    if said is None or said is True:
        return name
    return f"{name}: {said}" if "(" in name else f"{name}({said})"


def apart(text: str) -> list[str]:
    """The words of a text; what stands in brackets belongs to the word before it."""
    words, depth = [""], 0
    for char in text:
        depth = max(0, depth + (char == "(") - (char == ")"))
        if depth == 0 and char in BETWEEN:
            words.append("")
            continue
        while char == "(" and not words[-1] and len(words) > 1:
            words.pop()
        words[-1] += char
    return words
