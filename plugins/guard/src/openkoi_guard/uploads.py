"""Check uploads: files, data and messages that a program sends from this machine to another one.

Downloads, copies between local paths and localhost do not count. ``rules/transfers.table`` lists how programs name what
they send, and where to.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .addresses import LOCAL
from .command_rules import RULES, load_programs, load_rules, read_table
from .files import list_option_values
from .issue import Check, Danger, Invocation
from .secret_files import is_secret
from .shell_words import Word
from .static_output import predict_stdin
from .wrapper_table import skip_subcommand

HOST = lazy_pattern(r"^\w+://|^:\d*(?:/\S*)?$|^(?:[^/@\s]+@)?(?:localhost|\[?::1|[\w-]+(?:\.[\w-]+)+)\]?(?:[:/]\S*)?$")
# host:path, user@$HOST:path, namespace/pod:path and scheme://; C:\ is a disk.
ELSEWHERE = lazy_pattern(r"^(?!file:)(?:[\w$][\w.${}-]*[@/])?\[?[\w.:${}-]{2,}\]?:(?!\\)")
ALIAS = lazy_pattern(r"^[\w-]+/")
ENDPOINTS = ("--endpoint-url", "--endpoint", "--endpoint-override", "--host", "--url", "--server")
DRY = ("--dry-run", "--dryrun")
COMPUTED = lazy_pattern(r"\$\(|`|\$\{?!?\w*(KEY|TOKEN|SECRET|PASS|CRED)\w*", re.IGNORECASE)
IN_ADDRESS = lazy_pattern(r"\$\(|`|\$\{?!?\w*(SECRET|PASSW|PRIVATE)\w*", re.IGNORECASE)
FILE_SIGN = lazy_pattern(r"^@|=[@<]")
ITEM = lazy_pattern(r"^[^=@/]*[=:]?@\S")  # name@file, as httpie takes it
PUTS = lazy_pattern(r"(?:^|[;\n\"'])\s*(?:m?put|m?send|reput|append|mirror\b[^;\n]*\s(?:-\w*R\w*|--reverse))\b")
KEEPS_INPUT = lazy_pattern(
    r">|\b(tee|dd|cpio|rsync)\b|\btar\b.*x|\bunzip\b|\b(ba|z|da)?sh\b|\bcat$"
)  # what it reads, a remote command keeps
ONLY_LOOKS = lazy_pattern(r"--dry-run|^\s*(grep|wc|head|tail|jq|sort|diff)\b")
PRINTS_ALL = lazy_pattern(r"(^|[|;&(]\s*)(env|printenv|export\s+-p|declare\s+-[px]+|set)\s*([|;&)]|$)")
CHANGING = frozenset({"PUT", "PATCH", "DELETE"})
HTTP_CLIENTS = frozenset({"curl", "wget", "http", "https", "xh", "httpie"})
BODIES = ("-d", "--data", "--data-raw", "--data-ascii", "--data-binary", "--data-urlencode", "--json", "--post-data")
QUERIES = lazy_pattern(
    r"/_?(m?search|query|graphql|count|find|lookup|validate|_?analyze|login|token|suggest)\b", re.IGNORECASE
)
MAILERS = frozenset({"ssh", "mail", "mailx", "sendmail"})
WAYS_TO_SEND = ("copied", "attached", "marked", "piped", "scripted", "streamed")


@dataclass(frozen=True, slots=True)
class SendingRule:
    """How a program names what it sends: after a subcommand, with these options, unless another is given."""

    subcommand: tuple[str, ...]
    options: tuple[str, ...]
    unless: tuple[str, ...]
    aliases: bool


@cache
def load_sending_rules(kind: str) -> dict[str, tuple[SendingRule, ...]]:
    """Return the rules of a kind, by program."""
    table: dict[str, tuple[SendingRule, ...]] = {}
    for first, names, *fields in map(str.split, read_table(RULES / "transfers.table")):
        for name in names.split(",") if first == kind else ():
            table[name] = (*table.get(name, ()), parse_sending_rule(fields))
    return table


def parse_sending_rule(fields: Sequence[str]) -> SendingRule:
    return SendingRule(
        next((tuple(one[1:].split("/")) for one in fields if one.startswith(">")), ()),
        tuple(one for one in fields if one.startswith("-")),
        tuple(one[1:] for one in fields if one.startswith("!")),
        "aliases" in fields,
    )


def check_uploads(command: Invocation) -> Iterator[Danger]:
    """Find anything of this machine that is sent to another one."""
    if is_local_address(command) or command.has(*DRY):
        return
    if any(sends(command, way, words) for sends, way, words in list_sending_rules(command)):
        yield Danger("sends files or data to another machine", "secrets")
    elif any(IN_ADDRESS.search(word.text) for word in command.words if not word.is_known and "://" in word.text):
        yield Danger("puts data that is only known at run time into a URL, which may leak it", "secrets")


def check_change_requests(command: Invocation) -> Iterator[Danger]:
    """Find requests that may change something on another machine: all but downloads and searches."""
    if is_local_address(command) or command.has(*DRY):
        return
    methods = list_option_values(command.words, ("-X", "--request", "--method")) or command.words[:1] * takes_items(
        command.name
    )
    method = methods[0].text.upper() if methods and methods[0].text.isalpha() else ""
    bodies = list_option_values(command.words, BODIES)
    if method in CHANGING or ((method == "POST" or (bodies and not method)) and not only_queries(command, bodies)):
        yield Danger("changes something on another machine or sends a message", "remote")


def only_queries(command: Invocation, bodies: Sequence[Word]) -> bool:
    """Return whether a request only searches."""
    if command.has("-G", "--get"):
        return True
    address = next((word.text for word in command.words if not word.is_option and "/" in word.text), "")
    return bool(QUERIES.search(address)) and not any("mutation" in body.text for body in bodies)


def list_sending_rules(command: Invocation) -> Iterator[tuple["Sends", SendingRule, Sequence[Word]]]:
    """Yield the ways in which a program may send something, each with its arguments."""
    for kind in WAYS_TO_SEND:
        for way in load_sending_rules(kind).get(command.name, ()):
            taking = list_value_options(command.name, way)
            words = skip_subcommand(way.subcommand, taking, command.words)
            if words is not None and not command.has(*way.unless):
                yield SENDING[kind], way, words


def list_value_options(name: str, way: SendingRule) -> frozenset[str]:
    return load_rules().globals.get(name, frozenset()) | set(way.options)


def is_local_address(command: Invocation) -> bool:
    """Return whether a command only talks to this machine."""
    endpoints = list_option_values(command.words, ENDPOINTS)
    attached = {word.text for word in list_option_values(command.words, list_attaching_options(command.name))}
    operands = [
        word for word in command.words if not word.is_option and word.text not in attached and word.text[:1] != "@"
    ]
    hosts = [word.text for word in endpoints or operands if HOST.match(word.text)]
    return bool(hosts) and all(LOCAL.match(host) for host in hosts)


def list_attaching_options(name: str) -> tuple[str, ...]:
    found = [way for kind in ("attached", "marked") for way in load_sending_rules(kind).get(name, ())]
    return tuple(option for way in found for option in way.options)


def sends_copies(command: Invocation, way: SendingRule, words: Sequence[Word]) -> bool:
    """Return whether a local path comes before a remote address."""
    operands = list_plain_operands(words, list_value_options(command.name, way))
    elsewhere = [is_elsewhere(word, way) for word in operands]
    return any(elsewhere[elsewhere.index(False) :]) if False in elsewhere else False


def list_plain_operands(words: Sequence[Word], taking: frozenset[str]) -> list[Word]:
    """Return the words that are neither options nor values of these options."""
    before = ("", *(word.text for word in words))
    return [word for word, last in zip(words, before, strict=False) if not word.is_option and last not in taking]


def is_elsewhere(word: Word, way: SendingRule) -> bool:
    """Return whether a word names a place on another machine."""
    named = ELSEWHERE.match(word.text) or (way.aliases and ALIAS.match(word.text))
    return bool(named) and not LOCAL.match(word.text)


def sends_attachments(command: Invocation, way: SendingRule, words: Sequence[Word]) -> bool:
    return bool(list_option_values(words, way.options))


def sends_marked_files(command: Invocation, way: SendingRule, words: Sequence[Word]) -> bool:
    """Return whether an option, or an operand of httpie, names a file after a sign such as ``@``, or is computed."""
    values = list_option_values(words, way.options)
    computed = any(COMPUTED.search(word.text) for word in values if not word.is_known)
    items = (
        [word for word in words if not word.is_option and ITEM.match(word.text)] if takes_items(command.name) else []
    )
    return computed or bool(items) or any(FILE_SIGN.search(word.text) for word in values)


def takes_items(name: str) -> bool:
    return name in {"http", "https", "xh", "httpie"}


def sends_stdin(command: Invocation, way: SendingRule, words: Sequence[Word]) -> bool:
    """Return whether a program reads something that the line does not contain."""
    return reads_unknown_input(command)


def reads_unknown_input(command: Invocation) -> bool:
    feed = command.stdin
    return feed is not None and feed.text is None and feed.file != "/dev/null" and bool(feed.producer or feed.file)


def sends_by_script(command: Invocation, way: SendingRule, words: Sequence[Word]) -> bool:
    """Return whether the commands in a program's input send a file, or are unknown."""
    texts = [*(word.text for word in list_option_values(words, way.options)), predict_stdin(command.stdin) or ""]
    unseen = reads_unknown_input(command) and predict_stdin(command.stdin) is None
    batched = any(word.text != "-" for word in list_option_values(words, ("-b",)))
    return unseen or batched or any(PUTS.search(text) for text in texts)


def sends_stream(command: Invocation, way: SendingRule, words: Sequence[Word]) -> bool:
    """Return whether the last operand, which a program writes to, is an address."""
    return bool(words) and not words[-1].is_option and "://" in words[-1].text and is_elsewhere(words[-1], way)


def check_sent_secrets(command: Invocation) -> Iterator[Danger]:
    """Find output with keys, passwords or the environment that goes to a program which talks to other machines."""
    feed = command.stdin
    if feed is None or not reads_unknown_input(command) or is_local_address(command) or is_known_ssh_line(command):
        return
    piped = bool(feed.producer) and not ONLY_LOOKS.search(" ".join(command.operands[1:]))
    if command.name == "ssh" and (piped or KEEPS_INPUT.search(" ".join(command.operands[1:]))):
        yield Danger("sends files or data to another machine", "secrets")
    elif prints_secrets(feed.producer):
        yield Danger("sends keys, passwords or the environment to another machine", "secrets")


def is_known_ssh_line(command: Invocation) -> bool:
    """Return whether the input of ssh consists of commands that the line contains."""
    return command.name == "ssh" and predict_stdin(command.stdin) is not None


def prints_secrets(upstream: str) -> bool:
    words = upstream.replace("|", " ").split()
    return PRINTS_ALL.search(upstream) is not None or any(is_secret(word.strip("\"'")) for word in words)


def select_checks(name: str) -> Iterator[Check]:
    """Yield the checks that may apply to a program."""
    if name in load_programs("clients") or any(name in load_sending_rules(kind) for kind in WAYS_TO_SEND):
        yield check_uploads
    if name in HTTP_CLIENTS:
        yield check_change_requests
    if name in load_programs("clients") or name in MAILERS or name in load_sending_rules("piped"):
        yield check_sent_secrets


Sends = Callable[[Invocation, SendingRule, Sequence[Word]], bool]
SENDING: dict[str, Sends] = dict(
    zip(
        WAYS_TO_SEND,
        (sends_copies, sends_attachments, sends_marked_files, sends_stdin, sends_by_script, sends_stream),
        strict=True,
    )
)
