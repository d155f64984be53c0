"""Files and texts that a shell opens for a command. Knows the signs; knows no program and no danger."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .words import Word, read_word, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
READING = frozenset({"<", "<&", "<<<"})
KEEPING = frozenset({">>", "&>>", "<>"})


@dataclass(frozen=True, slots=True)
class Feed:
    """What a command reads: its ``text`` when that is written in the line, the output ``of`` another, or a ``file``."""

    text: str | None = None
    of: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Redirect:
    """A file that is opened for a command by the shell. ``keeps``: what stands in it stays."""

    target: Word
    reads: bool
    feed: Feed | None = None
    keeps: bool = False


def read_redirect(node: "Node", source: bytes) -> Redirect:
    if node.type == "heredoc_redirect":
        bodies = [child for child in node.children if child.type == "heredoc_body"]
        text = text_of(bodies[0], source) if bodies else ""
        return Redirect(Word(""), reads=True, feed=Feed(text))
    if node.type == "herestring_redirect":
        word = read_word(node.named_children[-1], source)
        return Redirect(word, reads=True, feed=Feed(word.text if word.known else None, word.text))
    target = node.child_by_field_name("destination")
    sign = next((child.type for child in node.children if not child.is_named), ">")
    word = read_word(target, source) if target is not None else Word("")
    return Redirect(word, reads=sign in READING, keeps=sign in KEEPING)


def swallowed(node: "Node", source: bytes) -> tuple[Word, ...]:
    """Arguments that stand after a redirection: the parser takes them for more of its targets."""
    if node.type == "file_redirect":
        return tuple(read_word(one, source) for one in node.children_by_field_name("destination")[1:])
    return tuple(read_word(one, source) for one in node.children_by_field_name("argument"))
