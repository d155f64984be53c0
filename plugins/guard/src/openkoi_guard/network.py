"""Check commands that talk to other machines: which ones, and which connections they open."""

import re
from collections.abc import Iterator, Mapping

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .files import list_option_values
from .issue import Check, Danger, Invocation

PRINTING = frozenset({"echo", "printf", "grep", "rg", "git"})
METADATA = lazy_pattern(
    r"169\.254\.16[90]\.\d+|169\.254\.17\d\.\d+|metadata\.google\.internal|100\.100\.100\.200|fd00:ec2::|\b2852039166\b"
    r"|0xa9fea9fe|metadata\.azure|metadata/instance",
    re.IGNORECASE,
)
RUN_HERE = lazy_pattern(r"\s*(proxy|local|knownhosts)command\s*[= ]\s*(?P<program>\S*)", re.IGNORECASE)
CONNECTORS = frozenset(
    {"ssh", "nc", "ncat", "connect", "corkscrew", "cloudflared", "aws", "gcloud", "az", "tsh", "none"}
)
OUT_LAST = lazy_pattern(r"-[a-zA-Z]+o")


def check_metadata(command: Invocation) -> Iterator[Danger]:
    """Find requests for the machine's own cloud credentials."""
    if any(METADATA.search(word.text) for word in command.words):
        yield Danger("requests this machine's credentials from the cloud", "secrets")


def check_computed_host(command: Invocation) -> Iterator[Danger]:
    """Find data that is hidden in a host name."""
    if any(re.search(r"(\$\(.*\)|`.*`)\.\w", word.text) for word in command.words):
        yield Danger("puts data that is only known at run time into a host name, which may leak it", "secrets")


def check_tunnels(command: Invocation) -> Iterator[Danger]:
    """Find tunnels through a remote shell."""
    for word in command.words:
        if not word.is_option:
            return
        if word.text.startswith(("-R", "-D", "-w")):
            yield Danger("opens a tunnel to another machine", "network")


def check_ssh_programs(command: Invocation) -> Iterator[Danger]:
    """Find ssh options that run a local program, other than one that only connects."""
    for word in list_option_values(command.words, ("-o",)):
        match = RUN_HERE.match(word.text)
        if match and match["program"].lower() not in CONNECTORS:
            yield Danger("makes ssh run a program on this machine", "network")


def select_checks(name: str) -> Iterator[Check]:
    """Yield the checks that may apply to a program."""
    if name not in PRINTING:
        yield check_metadata
    yield from BY_NAME.get(name, ())


BY_NAME: Mapping[str, tuple[Check, ...]] = {
    **dict.fromkeys(("dig", "nslookup", "host", "ping", "drill", "traceroute"), (check_computed_host,)),
    **dict.fromkeys(("scp", "sftp", "sshfs"), (check_ssh_programs,)),
    "ssh": (check_tunnels, check_ssh_programs),
}


def list_fetched_files(command: Invocation) -> Iterator[str]:
    """Yield the files that a command downloads."""
    addresses = [word.text for word in command.words if "://" in word.text]
    if command.name == "curl":
        yield from (word.text for word in list_option_values(command.words, ("-o", "--output")))
        pairs = zip(command.words, command.words[1:], strict=False)
        yield from (word.text for before, word in pairs if OUT_LAST.fullmatch(before.text))
        if command.has("-O", "--remote-name", "--remote-name-all"):
            yield from (address.split("?")[0].rpartition("/")[2] for address in addresses)
    elif command.name == "aria2c":
        yield from (word.text for word in list_option_values(command.words, ("-o", "--out")))
    elif command.name == "wget":
        named = [word.text for word in list_option_values(command.words, ("-O", "--output-document"))]
        yield from named or [address.split("?")[0].rpartition("/")[2] for address in addresses]
    elif command.name in {"aria2c", "scp", "rsync", "sftp"} and len(command.operands) > 1:
        yield command.operands[-1]
