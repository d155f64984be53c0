"""Data that leaves this machine: what a program copies, attaches, reads or is told to send to another one.

One rule: something of this machine goes to an address that is not this machine. A download, a copy between local
paths and localhost are no such thing. How programs name what goes where stands in ``rules/transfers.table``.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from .addresses import LOCAL
from .files import valued
from .finding import Check, Command, Finding
from .patterns import RULES, book, lines_of, programs
from .secret_files import is_secret
from .spoken import spoken_feed
from .words import Word
from .wrappers import after_subcommand

HOST = re.compile(r"^\w+://|^:\d*(?:/\S*)?$|^(?:[^/@\s]+@)?(?:localhost|\[?::1|[\w-]+(?:\.[\w-]+)+)\]?(?:[:/]\S*)?$")
# host:path, user@$HOST:path, namespace/pod:path and scheme://; C:\ is a disk.
ELSEWHERE = re.compile(r"^(?!file:)(?:[\w$][\w.${}-]*[@/])?\[?[\w.:${}-]{2,}\]?:(?!\\)")
ALIAS = re.compile(r"^[\w-]+/")
ENDPOINTS = ("--endpoint-url", "--endpoint", "--endpoint-override", "--host", "--url", "--server")
DRY = ("--dry-run", "--dryrun")
COMPUTED = re.compile(r"\$\(|`|\$\{?!?\w*(KEY|TOKEN|SECRET|PASS|CRED)\w*", re.IGNORECASE)
IN_ADDRESS = re.compile(r"\$\(|`|\$\{?!?\w*(SECRET|PASSW|PRIVATE)\w*", re.IGNORECASE)
FILE_SIGN = re.compile(r"^@|=[@<]")
ITEM = re.compile(r"^[^=@/]*[=:]?@\S")  # name@file, as httpie takes it
PUTS = re.compile(r"(?:^|[;\n\"'])\s*(?:m?put|m?send|reput|append|mirror\b[^;\n]*\s(?:-\w*R\w*|--reverse))\b")
KEEPS = re.compile(
    r">|\b(tee|dd|cpio|rsync)\b|\btar\b.*x|\bunzip\b|\b(ba|z|da)?sh\b|\bcat$"
)  # what it reads, a remote command keeps
LOOKS = re.compile(r"--dry-run|^\s*(grep|wc|head|tail|jq|sort|diff)\b")
PRINTS_ALL = re.compile(r"(^|[|;&(]\s*)(env|printenv|export\s+-p|declare\s+-[px]+|set)\s*([|;&)]|$)")
CHANGING = frozenset({"PUT", "PATCH", "DELETE"})
HTTP_CLIENTS = frozenset({"curl", "wget", "http", "https", "xh", "httpie"})
BODIES = ("-d", "--data", "--data-raw", "--data-ascii", "--data-binary", "--data-urlencode", "--json", "--post-data")
QUERIES = re.compile(
    r"/_?(m?search|query|graphql|count|find|lookup|validate|_?analyze|login|token|suggest)\b", re.IGNORECASE
)
MAILERS = frozenset({"ssh", "mail", "mailx", "sendmail"})
KINDS = ("copied", "attached", "marked", "piped", "scripted", "streamed")


@dataclass(frozen=True, slots=True)
class Way:
    """How a program names what it sends: below a subcommand, with these options, unless another is there."""

    subcommand: tuple[str, ...]
    options: tuple[str, ...]
    unless: tuple[str, ...]
    aliases: bool


@cache
def ways(kind: str) -> dict[str, tuple[Way, ...]]:
    """Read the lines of a kind, by program."""
    table: dict[str, tuple[Way, ...]] = {}
    for first, names, *fields in map(str.split, lines_of(RULES / "transfers.table")):
        for name in names.split(",") if first == kind else ():
            table[name] = (*table.get(name, ()), way_of(fields))
    return table


def way_of(fields: Sequence[str]) -> Way:
    return Way(
        next((tuple(one[1:].split("/")) for one in fields if one.startswith(">")), ()),
        tuple(one for one in fields if one.startswith("-")),
        tuple(one[1:] for one in fields if one.startswith("!")),
        "aliases" in fields,
    )


def uploads(command: Command) -> Iterator[Finding]:
    """Sending anything of this machine to another one, in whichever way the program is told."""
    if is_local(command) or command.has(*DRY):
        return
    if any(sends(command, way, words) for sends, way, words in ways_of(command)):
        yield Finding("sends files or data to another machine", "secrets")
    elif any(IN_ADDRESS.search(word.text) for word in command.words if not word.known and "://" in word.text):
        yield Finding("puts computed data into an address", "secrets")


def asks_to_change(command: Command) -> Iterator[Finding]:
    """Asking another machine to change something: any request but a download or a search."""
    if is_local(command) or command.has(*DRY):
        return
    methods = valued(command.words, ("-X", "--request", "--method")) or command.words[:1] * takes_items(command.name)
    method = methods[0].text.upper() if methods and methods[0].text.isalpha() else ""
    bodies = valued(command.words, BODIES)
    if method in CHANGING or ((method == "POST" or (bodies and not method)) and not only_queries(command, bodies)):
        yield Finding("asks another machine to change something, or sends it a message", "remote")


def only_queries(command: Command, bodies: Sequence[Word]) -> bool:
    """Return whether a request sends its words to be looked up."""
    if command.has("-G", "--get"):
        return True
    address = next((word.text for word in command.words if not word.option and "/" in word.text), "")
    return bool(QUERIES.search(address)) and not any("mutation" in body.text for body in bodies)


def ways_of(command: Command) -> Iterator[tuple["Sends", Way, Sequence[Word]]]:
    """The ways in which a program may send something, each with the words that are about it."""
    for kind in KINDS:
        for way in ways(kind).get(command.name, ()):
            taking = taking_values(command.name, way)
            words = after_subcommand(way.subcommand, taking, command.words)
            if words is not None and not command.has(*way.unless):
                yield SENDING[kind], way, words


def taking_values(name: str, way: Way) -> frozenset[str]:
    return book().globals.get(name, frozenset()) | set(way.options)


def is_local(command: Command) -> bool:
    """Whether a command talks to this machine, and to no other."""
    named = valued(command.words, ENDPOINTS)
    sent = {word.text for word in valued(command.words, attaching(command.name))}
    given = [word for word in command.words if not word.option and word.text not in sent and word.text[:1] != "@"]
    hosts = [word.text for word in named or given if HOST.match(word.text)]
    return bool(hosts) and all(LOCAL.match(host) for host in hosts)


def attaching(name: str) -> tuple[str, ...]:
    found = [way for kind in ("attached", "marked") for way in ways(kind).get(name, ())]
    return tuple(option for way in found for option in way.options)


def copies(command: Command, way: Way, words: Sequence[Word]) -> bool:
    """Whether a path of this machine comes before an address elsewhere."""
    given = without_values(words, taking_values(command.name, way))
    there = [is_elsewhere(word, way) for word in given]
    return any(there[there.index(False) :]) if False in there else False


def without_values(words: Sequence[Word], taking: frozenset[str]) -> list[Word]:
    """The words that are neither options nor values of these options."""
    before = ("", *(word.text for word in words))
    return [word for word, last in zip(words, before, strict=False) if not word.option and last not in taking]


def is_elsewhere(word: Word, way: Way) -> bool:
    """Whether a word names a place on another machine."""
    named = ELSEWHERE.match(word.text) or (way.aliases and ALIAS.match(word.text))
    return bool(named) and not LOCAL.match(word.text)


def attaches(command: Command, way: Way, words: Sequence[Word]) -> bool:
    return bool(valued(words, way.options))


def marks(command: Command, way: Way, words: Sequence[Word]) -> bool:
    """Whether an option, or an operand of httpie, names a file behind a sign, or is computed from what is secret."""
    values = valued(words, way.options)
    computed = any(COMPUTED.search(word.text) for word in values if not word.known)
    items = [word for word in words if not word.option and ITEM.match(word.text)] if takes_items(command.name) else []
    return computed or bool(items) or any(FILE_SIGN.search(word.text) for word in values)


def takes_items(name: str) -> bool:
    return name in {"http", "https", "xh", "httpie"}


def pipes(command: Command, way: Way, words: Sequence[Word]) -> bool:
    """Whether a program reads something that is not written in the line."""
    return reads_unseen(command)


def reads_unseen(command: Command) -> bool:
    feed = command.feed
    return feed is not None and feed.text is None and feed.file != "/dev/null" and bool(feed.of or feed.file)


def scripts(command: Command, way: Way, words: Sequence[Word]) -> bool:
    """Whether the commands that a program is given send a file, or cannot be seen."""
    told = [*(word.text for word in valued(words, way.options)), spoken_feed(command.feed) or ""]
    unseen = reads_unseen(command) and spoken_feed(command.feed) is None
    batched = any(word.text != "-" for word in valued(words, ("-b",)))
    return unseen or batched or any(PUTS.search(text) for text in told)


def streams(command: Command, way: Way, words: Sequence[Word]) -> bool:
    """Return whether the output of a program, which it names last, is an address."""
    return bool(words) and not words[-1].option and "://" in words[-1].text and is_elsewhere(words[-1], way)


def secrets_sent(command: Command) -> Iterator[Finding]:
    """Handing what prints keys, passwords or the environment to a program that talks to others."""
    feed = command.feed
    if feed is None or not reads_unseen(command) or is_local(command) or is_line_for_ssh(command):
        return
    piped = bool(feed.of) and not LOOKS.search(" ".join(command.operands[1:]))
    if command.name == "ssh" and (piped or KEEPS.search(" ".join(command.operands[1:]))):
        yield Finding("sends files or data to another machine", "secrets")
    elif tells_secrets(feed.of):
        yield Finding("sends keys, passwords or the environment to another machine", "secrets")


def is_line_for_ssh(command: Command) -> bool:
    """Return whether all that another machine is sent are commands which the line spells out."""
    return command.name == "ssh" and spoken_feed(command.feed) is not None


def tells_secrets(upstream: str) -> bool:
    words = upstream.replace("|", " ").split()
    return PRINTS_ALL.search(upstream) is not None or any(is_secret(word.strip("\"'")) for word in words)


def checks_for(name: str) -> Iterator[Check]:
    """The checks that a program may need."""
    if name in programs("clients") or any(name in ways(kind) for kind in KINDS):
        yield uploads
    if name in HTTP_CLIENTS:
        yield asks_to_change
    if name in programs("clients") or name in MAILERS or name in ways("piped"):
        yield secrets_sent


Sends = Callable[[Command, Way, Sequence[Word]], bool]
SENDING: dict[str, Sends] = dict(zip(KINDS, (copies, attaches, marks, pipes, scripts, streams), strict=True))
