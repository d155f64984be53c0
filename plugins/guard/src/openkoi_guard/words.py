"""The words of a shell line, as a shell would hand them to a program. Knows quoting; knows no program.

What only the shell can know (a variable, the output of a command) stays as it is written, and the word is not known.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
EXPANSIONS = SUBSTITUTIONS | {"simple_expansion", "expansion", "arithmetic_expansion"}
HOME = frozenset({"$HOME", "${HOME}"})
HERE = frozenset({"$PWD", "${PWD}", "$(pwd)", "`pwd`"})
GLOB = re.compile(r"(?<!\\)[*?\[{]")
ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
ESCAPED_IN_QUOTES = re.compile(r'\\([\n"\\$`])')
ANSI = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c.|.)", re.DOTALL)
ANSI_LETTERS = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


@dataclass(frozen=True, slots=True)
class Word:
    """One word. ``known``: nothing in it is computed. ``glob``: the shell may make other words of it."""

    text: str
    known: bool = True
    glob: bool = False
    quoted: bool = False

    @property
    def option(self) -> bool:
        """Whether it looks like an option."""
        return self.text.startswith("-") and len(self.text) > 1


def literal(*texts: str) -> tuple[Word, ...]:
    """Return words that are known."""
    return tuple(Word(text) for text in texts)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a word that is quoted in one way."""

    text: str
    known: bool = True
    glob: bool = False
    quoted: bool = False


def read_word(node: "Node", source: bytes) -> Word:
    """Read one word of a parsed line."""
    if node.type == "word":
        return bare(text_of(node, source))
    pieces = list(pieces_of(node, source))
    return Word(
        "".join(piece.text for piece in pieces),
        all(piece.known for piece in pieces),
        any(piece.glob for piece in pieces),
        all(piece.quoted for piece in pieces),
    )


def text_of(node: "Node", source: bytes) -> str:
    """Return a node as it is written."""
    return source[node.start_byte : node.end_byte].decode(errors="replace")


def bare(raw: str) -> Word:
    """A word without quotes."""
    if "\\" not in raw:
        return Word(raw, glob=GLOB.search(raw) is not None)
    return Word(ESCAPED.sub(unescape, raw), glob=GLOB.search(raw) is not None)


def unescape(match: re.Match[str]) -> str:
    return "" if match[1] == "\n" else match[1]


def pieces_of(node: "Node", source: bytes) -> Iterator[Piece]:
    """Split a word into its differently quoted parts."""
    kind, raw = node.type, text_of(node, source)
    if kind in EXPANSIONS:
        yield expanded(raw, quoted=False)
    elif kind == "raw_string":
        yield Piece(raw[1:-1], quoted=True)
    elif kind == "ansi_c_string":
        yield Piece(ansi(raw[2:-1]), quoted=True)
    elif kind in {"string", "translated_string"}:
        yield from inside_quotes(node, source)
    elif node.child_count and kind != "brace_expression":
        yield from side_by_side(node, source)
    else:
        word = bare(raw)
        yield Piece(word.text, glob=word.glob)


def expanded(raw: str, *, quoted: bool) -> Piece:
    if raw in HOME:
        return Piece("~", quoted=quoted)
    return Piece(".", quoted=quoted) if raw in HERE else Piece(raw, known=False, quoted=quoted)


def side_by_side(node: "Node", source: bytes) -> Iterator[Piece]:
    """The parts of a word that has several, and what the parser left between them."""
    at = node.start_byte
    for child in node.children:
        if child.start_byte > at:
            yield Piece(bare(source[at : child.start_byte].decode(errors="replace")).text)
        yield from pieces_of(child, source)
        at = child.end_byte
    if node.end_byte > at:
        yield Piece(bare(source[at : node.end_byte].decode(errors="replace")).text)


def inside_quotes(node: "Node", source: bytes) -> Iterator[Piece]:
    """The parts of a text in double quotes."""
    opening = 2 if node.type == "translated_string" else 1
    at = node.start_byte + opening
    string = node.children[-1] if node.type == "translated_string" else node
    for child in string.named_children:
        if child.type in EXPANSIONS:
            yield Piece(unquoted(source[at : child.start_byte]), quoted=True)
            yield expanded(text_of(child, source), quoted=True)
            at = child.end_byte
    yield Piece(unquoted(source[at : max(at, node.end_byte - 1)]), quoted=True)


def unquoted(raw: bytes) -> str:
    return ESCAPED_IN_QUOTES.sub(unescape, raw.decode(errors="replace"))


def ansi(raw: str) -> str:
    """Return what ``$'...'`` means."""
    return ANSI.sub(lambda match: ansi_sign(match[1]), raw) if "\\" in raw else raw


def ansi_sign(code: str) -> str:
    if code[0] in "xuU" and len(code) > 1:
        return sign(int(code[1:], 16))
    if code[0] in "01234567":
        return sign(int(code, 8) & 0xFF)
    return ANSI_LETTERS.get(code, code)


def sign(point: int) -> str:
    return chr(point) if point < 0xD800 or 0xE000 <= point <= 0x10FFFF else "?"
