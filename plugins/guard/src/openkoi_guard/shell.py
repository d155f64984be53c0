"""Parse a shell line into its simple commands: what runs, what it reads, where it writes.

Pipelines, lists, loops, functions, substitutions and here-documents are parsed at any depth.
"""

import re
from collections.abc import Iterator
from dataclasses import field
from functools import cache
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .limits import MAX_COMMANDS_PER_SCRIPT, MAX_WORDS_PER_COMMAND, PARSER_CHUNK_BYTES, PARSER_TIMEOUT_SECONDS
from .redirects import REDIRECTS, Redirect, StdinSource, read_redirect, read_trailing_words
from .shell_words import SUBSTITUTIONS, Word, build_words, read_text, read_word

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

DECLARING = frozenset({"declaration_command", "unset_command"})
NO_COMMAND = Word(":")
LITERAL = frozenset({"raw_string", "ansi_c_string", "comment", "heredoc_body"})
OPENING = frozenset({"command_substitution", "arithmetic_expansion"})
TICK, DOLLAR = b"`$"
SUBSTITUTES = lazy_pattern(rb"(?:(?<!\\)|(?<=[^\\]\\\\))(?:\$\(|`)")
UNREADABLE = lazy_pattern(
    r"[\x00-\x08\x0b-\x1f\x7f\x85\xa0\u034f\u115f\u1160\u1680\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u2064"
    r"\u2800\u3000\u3164\ufeff\uffa0\ud800-\udfff\U000e0000-\U000e0fff]"
)
CONTINUED = lazy_pattern(r"(?<!\\)((?:\\\\)*)\\\n")
FROM_ENVIRONMENT = lazy_pattern(r"^\$\{?(\w+)\}?(?:/[\w.+-]+)+$")
# The grammar has no text (``<<<``) after a file, whose order does not matter.
FILE_BEFORE_TEXT = lazy_pattern(r"(>{1,2}\s*[\w./-]+)\s+(<<<\s*(?:\"[^\"$`\\]*\"|'[^']*'|[\w./-]+))")
BEFORE_A_COMMENT = b" \t\n;&|()"


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One simple command. ``writes`` are the files that its output goes to."""

    words: tuple[Word, ...]
    text: str
    stdin: StdinSource | None = None
    writes: tuple[Redirect, ...] = ()


@dataclass(slots=True)
class ShellScript:
    """All that a line does. ``broken``: a part of it could not be parsed."""

    commands: list[SimpleCommand] = field(default_factory=list)
    assignments: list[tuple[str, Word]] = field(default_factory=list)
    loops: list[tuple[str, tuple[Word, ...]]] = field(default_factory=list)
    written_files: list[Word] = field(default_factory=list)
    read_files: list[Word] = field(default_factory=list)
    nested: list[str] = field(default_factory=list)
    fork_bombs: list[str] = field(default_factory=list)
    broken: bool = False


@dataclass(frozen=True, slots=True)
class PendingNode:
    """A node that is still to be read, with its input and where its output goes."""

    node: "Node"
    stdin: StdinSource | None = None
    writes: tuple[Redirect, ...] = ()
    extra: tuple[Word, ...] = ()


@cache
def load_parser() -> "Parser":
    """Load the parser when the first line is read."""
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def read_script(line: str) -> ShellScript:
    """Parse a line. Never raises: a line that cannot be parsed makes the script broken."""
    script = read_once(line)
    reordered = FILE_BEFORE_TEXT.sub(r"\2 \1", line) if script.broken and "<<<" in line else line
    return script if reordered == line else read_once(reordered)


def read_once(line: str) -> ShellScript:
    """Parse a line as it is."""
    source, script = line.encode(errors="replace"), ShellScript()
    tree = parse_line(source)
    script.broken = tree is None or tree.root_node.has_error
    places = [PendingNode(tree.root_node)] if tree else []
    while places and len(script.commands) <= MAX_COMMANDS_PER_SCRIPT:
        below = list(read_node(places.pop(), source, script))
        places.extend(reversed(below))
    script.broken |= bool(places)
    if tree and not script.broken and ("`" in line or "$(" in line):
        script.broken = has_unparsed_substitution(tree.root_node, source)
    return script


def parse_line(source: bytes) -> "Tree | None":
    """Return the syntax tree of a line; None if parsing takes too long, which crafted lines can cause."""
    if len(source) < PARSER_CHUNK_BYTES:
        return load_parser().parse(source)
    started = perf_counter()
    try:
        return load_parser().parse(
            lambda at, _: source[at : at + PARSER_CHUNK_BYTES],
            progress_callback=lambda *_: perf_counter() - started > PARSER_TIMEOUT_SECONDS,
        )
    except ValueError:
        load_parser().reset()
        return None


def has_unparsed_substitution(root: "Node", source: bytes) -> bool:
    """Return whether a line has more substitutions than the parser has found."""
    found, dead, nodes = 0, bytearray(source), [root]
    while nodes:
        node = nodes.pop()
        if node.type in LITERAL and not node.child_count:
            dead[node.start_byte : node.end_byte] = b" " * (node.end_byte - node.start_byte)
        elif node.type in OPENING:
            found += {TICK: 2, DOLLAR: 1}.get(source[node.start_byte], 0)
        nodes.extend(node.children)
    return len(SUBSTITUTES.findall(bytes(dead))) > found


def read_node(place: PendingNode, source: bytes, script: ShellScript) -> Iterator[PendingNode]:
    """Read a node; yield those below it."""
    kind = place.node.type
    if kind == "command" or kind in DECLARING:
        yield from read_command(place, source, script)
    elif kind == "redirected_statement":
        yield from read_redirected(place, source, script)
    elif kind == "pipeline":
        yield from read_pipeline(place, source)
    elif kind in SUBSTITUTIONS:
        yield from read_substitution(place.node, source, script)
    elif kind == "comment":
        script.broken |= hides_command(place.node, source)
    else:
        yield from read_other(place, source, script)


def read_other(place: PendingNode, source: bytes, script: ShellScript) -> Iterator[PendingNode]:
    node = place.node
    if node.type == "variable_assignment":
        script.assignments.append(read_assignment(node, source))
    elif node.type == "for_statement":
        script.loops.append(read_loop(node, source))
    elif node.type == "function_definition" and is_fork_bomb(node, source):
        script.fork_bombs.append(read_text(node, source))
    elif node.type == "heredoc_redirect":
        for child in node.children:
            fed = place.stdin if child.type == "pipeline" else None
            yield PendingNode(child, fed)
        return
    for child in node.children:
        if child.child_count or child.type == "comment":
            last = node.type != "list" or child == node.children[-1]  # of ``a && b > file``, b alone writes
            yield PendingNode(child, place.stdin, place.writes if last else ())


def read_loop(node: "Node", source: bytes) -> tuple[str, tuple[Word, ...]]:
    """Return the variable of a loop, and the words that it takes."""
    name = next((read_text(child, source) for child in node.children if child.type == "variable_name"), "")
    words = (child for child in node.named_children if child.type not in {"variable_name", "do_group"})
    return name, tuple(read_word(child, source) for child in words)


def read_command(place: PendingNode, source: bytes, script: ShellScript) -> Iterator[PendingNode]:
    words: list[Word] = []
    feed, writes = place.stdin, place.writes
    script.broken |= place.node.child_count > MAX_WORDS_PER_COMMAND
    for child in place.node.children[:MAX_WORDS_PER_COMMAND]:
        if child.type in REDIRECTS:
            redirect = read_redirect(child, source)
            feed, writes = apply_redirect(redirect, feed, writes, script)
        elif child.type == "variable_assignment":
            script.assignments.append(read_assignment(child, source))
        else:
            words.append(read_word(child, source))
        if child.child_count and child.type != "variable_assignment":
            yield PendingNode(child)
        elif child.child_count:
            yield from (PendingNode(inner) for inner in child.children if inner.child_count)
    if words:
        words.extend(place.extra)
        script.commands.append(SimpleCommand(tuple(words), read_text(place.node, source), feed, writes))


def apply_redirect(
    redirect: Redirect, feed: StdinSource | None, writes: tuple[Redirect, ...], script: ShellScript
) -> tuple[StdinSource | None, tuple[Redirect, ...]]:
    """Return what a command reads and writes after one more redirection."""
    if redirect.source:
        return redirect.source, writes
    if redirect.reads:
        script.read_files.append(redirect.target)
        made = "" if redirect.target.is_known else redirect.target.text
        return StdinSource(producer=made, file=redirect.target.text), writes
    script.written_files.append(redirect.target)
    return feed, (*writes, redirect)


def read_redirected(place: PendingNode, source: bytes, script: ShellScript) -> Iterator[PendingNode]:
    body = place.node.child_by_field_name("body")
    feed, writes, extra = place.stdin, place.writes, place.extra
    below: list[PendingNode] = []
    extra += read_skipped_words(place.node, source, script)
    for child in place.node.children:
        if child.type not in REDIRECTS:
            continue
        feed, writes = apply_redirect(read_redirect(child, source), feed, writes, script)
        extra += read_trailing_words(child, source)
        for inner in child.children:
            if inner.type == "file_redirect":
                feed, writes = apply_redirect(read_redirect(inner, source), feed, writes, script)
        below.append(PendingNode(child))
    if body is not None:
        yield PendingNode(body, feed, writes, extra)
        output = StdinSource(feed.text if feed and is_cat(body, source) else None, read_text(body, source))
        below = [PendingNode(one.node, output) for one in below]
    elif writes:
        script.commands.append(SimpleCommand((NO_COMMAND,), read_text(place.node, source), feed, writes))
    yield from below


def read_skipped_words(node: "Node", source: bytes, script: ShellScript) -> tuple[Word, ...]:
    """Return the words that the parser has skipped, such as a dash before a here-document."""
    words: list[Word] = []
    for left, right in pairwise(node.children):
        if right.start_byte - left.end_byte > 1:
            texts = source[left.end_byte : right.start_byte].decode(errors="replace").replace("\\\n", "").split()
            script.broken |= any(text != "-" for text in texts)
            words += build_words(*texts)
    return tuple(words)


def is_cat(body: "Node", source: bytes) -> bool:
    """Return whether a command prints what it reads."""
    return read_text(body, source).strip() in {"cat", "cat -"}


def read_pipeline(place: PendingNode, source: bytes) -> Iterator[PendingNode]:
    feed = place.stdin
    for child in place.node.children:
        if not child.is_named:
            continue
        yield PendingNode(child, feed, place.writes)
        feed = StdinSource(producer=source[place.node.start_byte : child.end_byte].decode(errors="replace"))


def read_substitution(node: "Node", source: bytes, script: ShellScript) -> Iterator[PendingNode]:
    raw = read_text(node, source)
    if raw.startswith("`") and "\\" in raw:
        script.nested.append(re.sub(r"\\([`\\$])", r"\1", raw.strip("`")))
    yield from (PendingNode(child) for child in node.children if child.child_count)


def read_assignment(node: "Node", source: bytes) -> tuple[str, Word]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    word = read_word(value, source) if value is not None else Word("")
    return (read_text(name, source) if name is not None else "", word)


def hides_command(comment: "Node", source: bytes) -> bool:
    """Return whether a ``#`` does not start a comment, because it follows a word."""
    return comment.start_byte > 0 and source[comment.start_byte - 1] not in BEFORE_A_COMMENT


def is_fork_bomb(function: "Node", source: bytes) -> bool:
    """Return whether a function calls itself without waiting (a fork bomb)."""
    name, body = function.child_by_field_name("name"), function.child_by_field_name("body")
    if name is None or body is None:
        return False
    call = re.escape(read_text(name, source))
    edge = r"(?<![\w.:-])" + call + r"(?![\w.:-])"
    return re.search(rf"{edge}[^;\n]*\|\s*{edge}|{edge}\s*&(?!&)", read_text(body, source)) is not None
