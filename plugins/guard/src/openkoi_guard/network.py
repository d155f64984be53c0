"""Checks of commands that talk to other machines: what they send, and whom they ask."""

import re
from collections.abc import Iterator, Mapping

from .files import valued
from .finding import Check, Command, Finding
from .patterns import programs
from .places import is_secret
from .words import Word

PIPES = frozenset({"nc", "ncat", "netcat", "socat", "telnet", "openssl"})
MAILERS = frozenset({"ssh", "mail", "mailx", "sendmail"})
SPEAKING = frozenset({"echo", "printf", "grep", "rg", "git"})
METADATA = re.compile(
    r"169\.254\.16[90]\.\d+|169\.254\.17\d\.\d+|metadata\.google\.internal|100\.100\.100\.200|fd00:ec2::|\b2852039166\b"
    r"|0xa9fea9fe|metadata\.azure|metadata/instance",
    re.IGNORECASE,
)
LOCAL = re.compile(
    r"^(\w+://)?([^/@]*@)?(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|0\.0\.0\.0|host\.docker\.internal)(?=[:/]|$)"
)
HOST = re.compile(r"^\w+://|^(?:[^/@\s]+@)?(?:localhost|\[?::1|[\w-]+(?:\.[\w-]+)+)\]?(?:[:/]\S*)?$")
COMPUTED = re.compile(r"\$\(|`|\$\{?!?\w*(KEY|TOKEN|SECRET|PASS|CRED)\w*", re.IGNORECASE)
SENT = ("-d", "--data", "--data-binary", "--data-raw", "--data-urlencode", "--data-ascii", "--json", "-F", "--form")
WHOLE_FILES = ("-T", "--upload-file", "--post-file", "--body-file", "-InFile")
BROAD = re.compile(r"^(\.|\./|\*|\.\.?/?\*?|~.*|/|/etc.*|/home.*|/root.*|/var.*|.*\.(env|pem|key)|\.[^./].*)$")
REMOTE = re.compile(r"^(\w[\w.-]*@)?\[?[\w.:-]{2,}\]?:(?!\\)|^rsync://|^scp://")
IN_ADDRESS = re.compile(r"\$\(|`|\$\{?!?\w*(SECRET|PASSW|PRIVATE)\w*", re.IGNORECASE)
RUN_HERE = re.compile(r"\s*(proxy|local|knownhosts)command\s*[= ]\s*(?P<program>\S*)", re.IGNORECASE)
CONNECTORS = frozenset(
    {"ssh", "nc", "ncat", "connect", "corkscrew", "cloudflared", "aws", "gcloud", "az", "tsh", "none"}
)
OUT_LAST = re.compile(r"-[a-zA-Z]+o")
KEEPS = re.compile(r">|\b(tee|dd|cpio|rsync)\b|\btar\b.*x|\bunzip\b|\bcat$")  # what it reads, a remote command keeps
PRINTS_ALL = re.compile(r"(^|[|;&(]\s*)(env|printenv|export\s+-p|declare\s+-[px]+|set)\s*([|;&)]|$)")


def metadata(command: Command) -> Iterator[Finding]:
    """Asking a cloud for the machine's own credentials."""
    if any(METADATA.search(word.text) for word in command.words):
        yield Finding("asks the cloud for this machine's credentials", "secrets")


def uploads(command: Command) -> Iterator[Finding]:
    """Sending files, or what is computed, to another machine."""
    if local(command):
        return
    if any(carries(word) for word in valued(command.words, SENT)) or valued(command.words, WHOLE_FILES):
        yield Finding("sends files or computed data to another machine", "secrets")
    elif any(IN_ADDRESS.search(word.text) for word in command.words if not word.known and "://" in word.text):
        yield Finding("puts computed data into an address", "secrets")
    elif command.name in {"http", "https", "xh"} and any(re.search(r"[=:]?@\S", word.text) for word in command.words):
        yield Finding("sends files to another machine", "secrets")


def local(command: Command) -> bool:
    """Whether it talks to this machine, and to no other."""
    hosts = [word.text for word in command.words if not word.option and HOST.match(word.text) and word.text[0] != "@"]
    return bool(hosts) and all(LOCAL.match(host) for host in hosts)


def carries(word: Word) -> bool:
    """Whether what is sent comes out of a file or a computation."""
    if word.text.startswith("@") or re.search(r"=[@<]", word.text):
        return True
    return not word.known and (COMPUTED.search(word.text) is not None)


def piped(command: Command) -> Iterator[Finding]:
    """Sending what another command prints."""
    feed = command.feed
    if not feed or feed.text is not None or feed.file == "/dev/null" or not (feed.of or feed.file) or local(command):
        return
    if command.name in PIPES and not command.has("-z", "-l", "--listen") and command.operands:
        yield Finding("sends what another command prints to another machine", "secrets")
    elif command.name == "ssh" and KEEPS.search(" ".join(command.operands[1:])):
        yield Finding("copies what another command prints to another machine", "secrets")
    elif tells_secrets(feed.of):
        yield Finding("sends keys, passwords or the environment to another machine", "secrets")


def tells_secrets(upstream: str) -> bool:
    words = upstream.replace("|", " ").split()
    return PRINTS_ALL.search(upstream) is not None or any(is_secret(word.strip("\"'")) for word in words)


def copies(command: Command) -> Iterator[Finding]:
    """Copying to another machine."""
    *sources, target = command.operands or [""]
    if not sources or not REMOTE.match(target) or LOCAL.match(target):
        return
    if command.name in {"scp", "pscp"} and not all(REMOTE.match(source) for source in sources):
        yield Finding("copies files to another machine", "secrets")
    elif command.name == "rsync" and any(BROAD.match(source) for source in sources):
        yield Finding("copies more than a folder of the work to another machine", "secrets")
    elif command.name == "rclone" and sources[0] in {"copy", "copyto"}:
        yield Finding("copies files to another machine", "secrets")


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
    if name in programs("clients"):
        yield uploads
    if name in PIPES or name in MAILERS or name in programs("clients"):
        yield piped
    yield from BY_NAME.get(name, ())


BY_NAME: Mapping[str, tuple[Check, ...]] = {
    **dict.fromkeys(("pscp", "rsync", "rclone"), (copies,)),
    **dict.fromkeys(("dig", "nslookup", "host", "ping", "drill", "traceroute"), (looked_up,)),
    **dict.fromkeys(("sftp", "sshfs"), (connected_by,)),
    "scp": (copies, connected_by),
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
    elif command.name == "wget":
        named = [word.text for word in valued(command.words, ("-O", "--output-document"))]
        yield from named or [address.split("?")[0].rpartition("/")[2] for address in addresses]
    elif command.name in {"aria2c", "scp", "rsync", "sftp"} and len(command.operands) > 1:
        yield command.operands[-1]
