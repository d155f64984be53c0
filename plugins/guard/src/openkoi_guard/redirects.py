"""Read the redirects of a command: the files and texts that a shell opens for it."""

from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass

from .shell_words import Word, read_text, read_word

if TYPE_CHECKING:
    from tree_sitter import Node

REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
READING = frozenset({"<", "<&", "<<<"})
APPENDING = frozenset({">>", "&>>", "<>"})


@dataclass(frozen=True, slots=True)
class StdinSource:
    """What a command reads: a known ``text``, the output of a ``producer``, or a ``file``."""

    text: str | None = None
    producer: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Redirect:
    """A file that a shell opens for a command. ``appends``: its contents are kept."""

    target: Word
    reads: bool
    source: StdinSource | None = None
    appends: bool = False


def read_redirect(node: "Node", source: bytes) -> Redirect:
    if node.type == "heredoc_redirect":
        bodies = [child for child in node.children if child.type == "heredoc_body"]
        text = read_text(bodies[0], source) if bodies else ""
        return Redirect(Word(""), reads=True, source=StdinSource(text))
    if node.type == "herestring_redirect":
        word = read_word(node.named_children[-1], source)
        return Redirect(word, reads=True, source=StdinSource(word.text if word.is_known else None, word.text))
    target = node.child_by_field_name("destination")
    sign = next((child.type for child in node.children if not child.is_named), ">")
    word = read_word(target, source) if target is not None else Word("")
    return Redirect(word, reads=sign in READING, appends=sign in APPENDING)


def read_trailing_words(node: "Node", source: bytes) -> tuple[Word, ...]:
    """Return arguments after a redirection, which the parser mistakes for targets."""
    if node.type == "file_redirect":
        return tuple(read_word(one, source) for one in node.children_by_field_name("destination")[1:])
    return tuple(read_word(one, source) for one in node.children_by_field_name("argument"))
