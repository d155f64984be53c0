"""Read the words of a shell line as a shell passes them to a program.

A variable or the output of a command stays as it is written, and its word is not known.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
EXPANSIONS = SUBSTITUTIONS | {"simple_expansion", "expansion", "arithmetic_expansion"}
HOME = frozenset({"$HOME", "${HOME}"})
HERE = frozenset({"$PWD", "${PWD}", "$(pwd)", "`pwd`"})
GLOB = lazy_pattern(r"(?<!\\)[*?\[{]")
ESCAPED = lazy_pattern(r"\\(\n|.)", re.DOTALL)
ESCAPED_IN_QUOTES = lazy_pattern(r'\\([\n"\\$`])')
ANSI = lazy_pattern(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c.|.)", re.DOTALL)
ANSI_LETTERS = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


@dataclass(frozen=True, slots=True)
class Word:
    """One word. ``is_known``: nothing in it is computed. ``has_wildcards``: a shell may make other words of it."""

    text: str
    is_known: bool = True
    has_wildcards: bool = False
    is_quoted: bool = False

    @property
    def is_option(self) -> bool:
        """Return whether it looks like an option."""
        return self.text.startswith("-") and len(self.text) > 1


def build_words(*texts: str) -> tuple[Word, ...]:
    """Return known words."""
    return tuple(Word(text) for text in texts)


@dataclass(frozen=True, slots=True)
class WordPart:
    """A part of a word that is quoted in one way."""

    text: str
    known: bool = True
    glob: bool = False
    quoted: bool = False


def read_word(node: "Node", source: bytes) -> Word:
    """Read one word of a parsed line."""
    if node.type == "word":
        return read_bare(read_text(node, source))
    pieces = list(split_parts(node, source))
    return Word(
        "".join(piece.text for piece in pieces),
        all(piece.known for piece in pieces),
        any(piece.glob for piece in pieces),
        all(piece.quoted for piece in pieces),
    )


def read_text(node: "Node", source: bytes) -> str:
    """Return a node as it is written."""
    return source[node.start_byte : node.end_byte].decode(errors="replace")


def read_bare(raw: str) -> Word:
    """Return a word without quotes."""
    if "\\" not in raw:
        return Word(raw, has_wildcards=GLOB.search(raw) is not None)
    return Word(ESCAPED.sub(unescape_match, raw), has_wildcards=GLOB.search(raw) is not None)


def unescape_match(match: re.Match[str]) -> str:
    return "" if match[1] == "\n" else match[1]


def split_parts(node: "Node", source: bytes) -> Iterator[WordPart]:
    """Yield the differently quoted parts of a word."""
    kind, raw = node.type, read_text(node, source)
    if kind in EXPANSIONS:
        yield read_expansion(raw, quoted=False)
    elif kind == "raw_string":
        yield WordPart(raw[1:-1], quoted=True)
    elif kind == "ansi_c_string":
        yield WordPart(unescape_ansi(raw[2:-1]), quoted=True)
    elif kind in {"string", "translated_string"}:
        yield from read_quoted(node, source)
    elif node.child_count and kind != "brace_expression":
        yield from read_concatenation(node, source)
    else:
        word = read_bare(raw)
        yield WordPart(word.text, glob=word.has_wildcards)


def read_expansion(raw: str, *, quoted: bool) -> WordPart:
    if raw in HOME:
        return WordPart("~", quoted=quoted)
    return WordPart(".", quoted=quoted) if raw in HERE else WordPart(raw, known=False, quoted=quoted)


def read_concatenation(node: "Node", source: bytes) -> Iterator[WordPart]:
    """Yield the parts of a concatenated word, and what the parser left between them."""
    at = node.start_byte
    for child in node.children:
        if child.start_byte > at:
            yield WordPart(read_bare(source[at : child.start_byte].decode(errors="replace")).text)
        yield from split_parts(child, source)
        at = child.end_byte
    if node.end_byte > at:
        yield WordPart(read_bare(source[at : node.end_byte].decode(errors="replace")).text)


def read_quoted(node: "Node", source: bytes) -> Iterator[WordPart]:
    """Yield the parts of a text in double quotes."""
    opening = 2 if node.type == "translated_string" else 1
    at = node.start_byte + opening
    string = node.children[-1] if node.type == "translated_string" else node
    for child in string.named_children:
        if child.type in EXPANSIONS:
            yield WordPart(unescape_quoted(source[at : child.start_byte]), quoted=True)
            yield read_expansion(read_text(child, source), quoted=True)
            at = child.end_byte
    yield WordPart(unescape_quoted(source[at : max(at, node.end_byte - 1)]), quoted=True)


def unescape_quoted(raw: bytes) -> str:
    return ESCAPED_IN_QUOTES.sub(unescape_match, raw.decode(errors="replace"))


def unescape_ansi(raw: str) -> str:
    """Return what ``$'...'`` means."""
    return ANSI.sub(lambda match: unescape_ansi_code(match[1]), raw) if "\\" in raw else raw


def unescape_ansi_code(code: str) -> str:
    if code[0] in "xuU" and len(code) > 1:
        return build_character(int(code[1:], 16))
    if code[0] in "01234567":
        return build_character(int(code, 8) & 0xFF)
    return ANSI_LETTERS.get(code, code)


def build_character(point: int) -> str:
    return chr(point) if point < 0xD800 or 0xE000 <= point <= 0x10FFFF else "?"
