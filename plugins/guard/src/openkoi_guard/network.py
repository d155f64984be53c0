"""Checks of commands that talk to other machines: whom they ask, and which ways they open."""

import re
from collections.abc import Iterator, Mapping

from .files import valued
from .finding import Check, Command, Finding

SPEAKING = frozenset({"echo", "printf", "grep", "rg", "git"})
METADATA = re.compile(
    r"169\.254\.16[90]\.\d+|169\.254\.17\d\.\d+|metadata\.google\.internal|100\.100\.100\.200|fd00:ec2::|\b2852039166\b"
    r"|0xa9fea9fe|metadata\.azure|metadata/instance",
    re.IGNORECASE,
)
RUN_HERE = re.compile(r"\s*(proxy|local|knownhosts)command\s*[= ]\s*(?P<program>\S*)", re.IGNORECASE)
CONNECTORS = frozenset(
    {"ssh", "nc", "ncat", "connect", "corkscrew", "cloudflared", "aws", "gcloud", "az", "tsh", "none"}
)
OUT_LAST = re.compile(r"-[a-zA-Z]+o")


def metadata(command: Command) -> Iterator[Finding]:
    """Asking a cloud for the machine's own credentials."""
    if any(METADATA.search(word.text) for word in command.words):
        yield Finding("asks the cloud for this machine's credentials", "secrets")


def looked_up(command: Command) -> Iterator[Finding]:
    """Hiding data in the name of a host."""
    if any(re.search(r"(\$\(.*\)|`.*`)\.\w", word.text) for word in command.words):
        yield Finding("puts computed data into a name that others are asked for", "secrets")


def tunnels(command: Command) -> Iterator[Finding]:
    """Opening a way in, or out, through a remote shell."""
    for word in command.words:
        if not word.option:
            return
        if word.text.startswith(("-R", "-D", "-w")):
            yield Finding("opens a way from or to another machine", "network")


def connected_by(command: Command) -> Iterator[Finding]:
    """Making a remote shell run a program here, other than one that only connects."""
    for word in valued(command.words, ("-o",)):
        match = RUN_HERE.match(word.text)
        if match and match["program"].lower() not in CONNECTORS:
            yield Finding("makes ssh run a program on this machine", "network")


def checks_for(name: str) -> Iterator[Check]:
    """The checks that a program may need."""
    if name not in SPEAKING:
        yield metadata
    yield from BY_NAME.get(name, ())


BY_NAME: Mapping[str, tuple[Check, ...]] = {
    **dict.fromkeys(("dig", "nslookup", "host", "ping", "drill", "traceroute"), (looked_up,)),
    **dict.fromkeys(("scp", "sftp", "sshfs"), (connected_by,)),
    "ssh": (tunnels, connected_by),
}


def fetched(command: Command) -> Iterator[str]:
    """The files that a command brings in from another machine."""
    addresses = [word.text for word in command.words if "://" in word.text]
    if command.name == "curl":
        yield from (word.text for word in valued(command.words, ("-o", "--output")))
        pairs = zip(command.words, command.words[1:], strict=False)
        yield from (word.text for before, word in pairs if OUT_LAST.fullmatch(before.text))
        if command.has("-O", "--remote-name", "--remote-name-all"):
            yield from (address.split("?")[0].rpartition("/")[2] for address in addresses)
    elif command.name == "aria2c":
        yield from (word.text for word in valued(command.words, ("-o", "--out")))
    elif command.name == "wget":
        named = [word.text for word in valued(command.words, ("-O", "--output-document"))]
        yield from named or [address.split("?")[0].rpartition("/")[2] for address in addresses]
    elif command.name in {"aria2c", "scp", "rsync", "sftp"} and len(command.operands) > 1:
        yield command.operands[-1]
