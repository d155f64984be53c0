"""Take a shell line apart into its simple commands: what is run, what it reads, where it writes.

Knows the grammar of a shell; knows no program and no danger. Pipelines, lists, loops, functions, substitutions and
here-documents are all looked into, at any depth.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING

from .redirects import REDIRECTS, Feed, Redirect, read_redirect, swallowed
from .words import SUBSTITUTIONS, Word, literal, read_word, text_of

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

DECLARING = frozenset({"declaration_command", "unset_command"})
NOTHING = Word(":")
LITERAL = frozenset({"raw_string", "ansi_c_string", "comment", "heredoc_body"})
OPENING = frozenset({"command_substitution", "arithmetic_expansion"})
MOST_COMMANDS = 500
MOST_WORDS = 2_000
SHORT = 4_096
PATIENCE = 0.2
TICK, DOLLAR = b"`$"
SUBSTITUTES = re.compile(rb"(?:(?<!\\)|(?<=[^\\]\\\\))(?:\$\(|`)")
UNREADABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f\x85\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff\ud800-\udfff]"
)
CONTINUED = re.compile(r"(?<!\\)((?:\\\\)*)\\\n")
FROM_ENVIRONMENT = re.compile(r"^\$\{?(\w+)\}?(?:/[\w.+-]+)+$")
BEFORE_A_COMMENT = b" \t\n;&|()"


@dataclass(frozen=True, slots=True)
class Simple:
    """One simple command. ``writes`` are the files that its output goes to."""

    words: tuple[Word, ...]
    text: str
    feed: Feed | None = None
    writes: tuple[Redirect, ...] = ()


@dataclass(slots=True)
class Script:
    """All that a line does. ``broken`` says that a part of it could not be read."""

    commands: list[Simple] = field(default_factory=list)
    assigned: list[tuple[str, Word]] = field(default_factory=list)
    loops: list[tuple[str, tuple[Word, ...]]] = field(default_factory=list)
    written: list[Word] = field(default_factory=list)
    read: list[Word] = field(default_factory=list)
    nested: list[str] = field(default_factory=list)
    bombs: list[str] = field(default_factory=list)
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A node that is still to be read, with what is fed to it and where its output goes."""

    node: "Node"
    feed: Feed | None = None
    writes: tuple[Redirect, ...] = ()
    extra: tuple[Word, ...] = ()


@cache
def parser() -> "Parser":
    """The parser, loaded when the first line is read."""
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def read_script(line: str) -> Script:
    """Take a line apart. Never raises: what cannot be read makes the script broken."""
    source, script = line.encode(errors="replace"), Script()
    tree = parsed(source)
    script.broken = tree is None or tree.root_node.has_error
    places = [Place(tree.root_node)] if tree else []
    while places and len(script.commands) <= MOST_COMMANDS:
        below = list(read_place(places.pop(), source, script))
        places.extend(reversed(below))
    script.broken |= bool(places)
    if tree and not script.broken and ("`" in line or "$(" in line):
        script.broken = overlooked(tree.root_node, source)
    return script


def parsed(source: bytes) -> "Tree | None":
    """Parse a line; None when that takes too long, as it does for some that are made to."""
    if len(source) < SHORT:
        return parser().parse(source)
    started = perf_counter()
    try:
        return parser().parse(
            lambda at, _: source[at : at + SHORT], progress_callback=lambda *_: perf_counter() - started > PATIENCE
        )
    except ValueError:
        parser().reset()
        return None


def overlooked(root: "Node", source: bytes) -> bool:
    """Whether more substitutions stand in a line than the parser has found."""
    found, dead, nodes = 0, bytearray(source), [root]
    while nodes:
        node = nodes.pop()
        if node.type in LITERAL and not node.child_count:
            dead[node.start_byte : node.end_byte] = b" " * (node.end_byte - node.start_byte)
        elif node.type in OPENING:
            found += {TICK: 2, DOLLAR: 1}.get(source[node.start_byte], 0)
        nodes.extend(node.children)
    return len(SUBSTITUTES.findall(bytes(dead))) > found


def read_place(place: Place, source: bytes, script: Script) -> Iterator[Place]:
    """Take note of a node; yield what is below it."""
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
        script.broken |= hides_more(place.node, source)
    else:
        yield from read_other(place, source, script)


def read_other(place: Place, source: bytes, script: Script) -> Iterator[Place]:
    node = place.node
    if node.type == "variable_assignment":
        script.assigned.append(read_assignment(node, source))
    elif node.type == "for_statement":
        script.loops.append(read_loop(node, source))
    elif node.type == "function_definition" and is_bomb(node, source):
        script.bombs.append(text_of(node, source))
    elif node.type == "heredoc_redirect":
        for child in node.children:
            fed = place.feed if child.type == "pipeline" else None
            yield Place(child, fed)
        return
    for child in node.children:
        if child.child_count or child.type == "comment":
            last = node.type != "list" or child == node.children[-1]  # of ``a && b > file``, b alone writes
            yield Place(child, place.feed, place.writes if last else ())


def read_loop(node: "Node", source: bytes) -> tuple[str, tuple[Word, ...]]:
    """Return the variable of a loop, and the words that it takes."""
    name = next((text_of(child, source) for child in node.children if child.type == "variable_name"), "")
    words = (child for child in node.named_children if child.type not in {"variable_name", "do_group"})
    return name, tuple(read_word(child, source) for child in words)


def read_command(place: Place, source: bytes, script: Script) -> Iterator[Place]:
    words: list[Word] = []
    feed, writes = place.feed, place.writes
    script.broken |= place.node.child_count > MOST_WORDS
    for child in place.node.children[:MOST_WORDS]:
        if child.type in REDIRECTS:
            redirect = read_redirect(child, source)
            feed, writes = redirected(redirect, feed, writes, script)
        elif child.type == "variable_assignment":
            script.assigned.append(read_assignment(child, source))
        else:
            words.append(read_word(child, source))
        if child.child_count and child.type != "variable_assignment":
            yield Place(child)
        elif child.child_count:
            yield from (Place(inner) for inner in child.children if inner.child_count)
    if words:
        words.extend(place.extra)
        script.commands.append(Simple(tuple(words), text_of(place.node, source), feed, writes))


def redirected(
    redirect: Redirect, feed: Feed | None, writes: tuple[Redirect, ...], script: Script
) -> tuple[Feed | None, tuple[Redirect, ...]]:
    """What a command reads and writes after one more redirection."""
    if redirect.feed:
        return redirect.feed, writes
    if redirect.reads:
        script.read.append(redirect.target)
        made = "" if redirect.target.known else redirect.target.text
        return Feed(of=made, file=redirect.target.text), writes
    script.written.append(redirect.target)
    return feed, (*writes, redirect)


def read_redirected(place: Place, source: bytes, script: Script) -> Iterator[Place]:
    body = place.node.child_by_field_name("body")
    feed, writes, extra = place.feed, place.writes, place.extra
    below: list[Place] = []
    extra += skipped(place.node, source, script)
    for child in place.node.children:
        if child.type not in REDIRECTS:
            continue
        feed, writes = redirected(read_redirect(child, source), feed, writes, script)
        extra += swallowed(child, source)
        for inner in child.children:
            if inner.type == "file_redirect":
                feed, writes = redirected(read_redirect(inner, source), feed, writes, script)
        below.append(Place(child))
    if body is not None:
        yield Place(body, feed, writes, extra)
        output = Feed(feed.text if feed and is_cat(body, source) else None, text_of(body, source))
        below = [Place(one.node, output) for one in below]
    elif writes:
        script.commands.append(Simple((NOTHING,), text_of(place.node, source), feed, writes))
    yield from below


def skipped(node: "Node", source: bytes, script: Script) -> tuple[Word, ...]:
    """Words between the parts of a node that the parser has passed over: a dash before a here-document is one."""
    words: list[Word] = []
    for left, right in pairwise(node.children):
        if right.start_byte - left.end_byte > 1:
            texts = source[left.end_byte : right.start_byte].decode(errors="replace").replace("\\\n", "").split()
            script.broken |= any(text != "-" for text in texts)
            words += literal(*texts)
    return tuple(words)


def is_cat(body: "Node", source: bytes) -> bool:
    """Whether a command hands on what it reads."""
    return text_of(body, source).strip() in {"cat", "cat -"}


def read_pipeline(place: Place, source: bytes) -> Iterator[Place]:
    feed = place.feed
    for child in place.node.children:
        if not child.is_named:
            continue
        yield Place(child, feed, place.writes)
        feed = Feed(of=source[place.node.start_byte : child.end_byte].decode(errors="replace"))


def read_substitution(node: "Node", source: bytes, script: Script) -> Iterator[Place]:
    raw = text_of(node, source)
    if raw.startswith("`") and "\\" in raw:
        script.nested.append(re.sub(r"\\([`\\$])", r"\1", raw.strip("`")))
    yield from (Place(child) for child in node.children if child.child_count)


def read_assignment(node: "Node", source: bytes) -> tuple[str, Word]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    word = read_word(value, source) if value is not None else Word("")
    return (text_of(name, source) if name is not None else "", word)


def hides_more(comment: "Node", source: bytes) -> bool:
    """Whether a shell would see no comment here: it wants a blank before the sign."""
    return comment.start_byte > 0 and source[comment.start_byte - 1] not in BEFORE_A_COMMENT


def is_bomb(function: "Node", source: bytes) -> bool:
    """Whether a function calls itself and does not wait: more and more of it until nothing else runs."""
    name, body = function.child_by_field_name("name"), function.child_by_field_name("body")
    if name is None or body is None:
        return False
    call = re.escape(text_of(name, source))
    edge = r"(?<![\w.:-])" + call + r"(?![\w.:-])"
    return re.search(rf"{edge}[^;\n]*\|\s*{edge}|{edge}\s*&(?!&)", text_of(body, source)) is not None
