"""Parse the tools that a skill is limited to."""

from collections.abc import Iterator

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .front_matter import to_line

QUOTES = "`\"'"
SEPARATORS = frozenset(" ,;\u3001\uff0c")
WORD = lazy_pattern(r"[\w*]")


def parse_allowed_tools(value: object) -> tuple[str, ...]:
    """Parse ``Read Bash(git:*)``, with or without commas, or a list or table of such words."""
    text = ", ".join(list_words(value)).strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    found = (word.strip(QUOTES) for word in split_words(text))
    words = tuple(dict.fromkeys(word for word in found if WORD.search(word)))
    return words or ((text,) if "(" in text or ")" in text else ())


def find_unclosed(tools: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words with unbalanced brackets."""
    return tuple(tool for tool in tools if tool.count("(") != tool.count(")"))


def list_words(value: object) -> Iterator[str]:
    """Yield the words of a value, which YAML may read as a table: ``- Bash(npm run: x)``, ``Read: true``."""
    if isinstance(value, list):
        for one in value:
            yield from list_words(one)
    elif isinstance(value, dict):
        yield from (format_entry(str(name), detail) for name, detail in value.items() if detail is not False)
    else:
        yield to_line(value)


def format_entry(name: str, detail: object) -> str:
    """Return a table entry as one word: the rest of a pattern, a pattern, or the name alone."""
    if detail is None or detail is True:
        return name
    return f"{name}: {detail}" if "(" in name else f"{name}({detail})"


def split_words(text: str) -> list[str]:
    """Split a text into words; text in brackets belongs to the word before it."""
    words, depth = [""], 0
    for char in text:
        depth = max(0, depth + (char == "(") - (char == ")"))
        if depth == 0 and char in SEPARATORS:
            words.append("")
            continue
        while char == "(" and not words[-1] and len(words) > 1:
            words.pop()
        words[-1] += char
    return words
