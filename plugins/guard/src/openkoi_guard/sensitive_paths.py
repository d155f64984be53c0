"""Classify paths by their spelling: disks, the system, start-up files, histories."""

import posixpath
import re
from collections.abc import Iterator
from enum import Enum

from openkoi_hookspecs import Ask, Deny
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .command_rules import load_programs, load_rules
from .issue import Danger
from .secret_files import is_secret, normalize_home
from .shell_words import Word

DISK = lazy_pattern(
    r"^/dev/([shv]d[a-z$]|\$|xvd|nvme\d|mmcblk|r?disk\d|mapper/|dm-|md\d|zd\d|nbd\d|k?mem$|port$|root$|disk/)"
    r"|^//\./physicaldrive",
    re.IGNORECASE,
)
SYSTEM = lazy_pattern(
    r"^/(private/)?(etc|bin|sbin|lib\w*|usr|boot|sys|proc/sys|proc/sysrq-trigger|opt|srv|System|Library|Applications"
    r"|var/(spool|lib|log|db))(/|$)|^[a-z]:/windows(/|$)",
    re.IGNORECASE,
)
STARTUP = lazy_pattern(
    r"(^|/)\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout"
    r"|kshrc|cshrc|tcshrc|login|xinitrc|xprofile|xsession|pam_environment|inputrc|gitconfig|npmrc_global|pythonrc)$"
    r"|^~/\.(vimrc|emacs|gdbinit|lldbinit|psqlrc|irbrc|pryrc|tmux\.conf|screenrc|gemrc|condarc|curlrc|wgetrc|bundle/config"
    r"|cargo/(config|env)(\.toml)?|m2/settings\.xml|gradle/init\.gradle(\.kts)?|composer/config\.json)$"
    r"|^~/\.(config/(uv|pip|nvim|direnv|tmux)|gradle/init\.d|ipython|emacs\.d|vim)/"
    r"|(^|/)(\.ssh|\.gnupg|\.aws|\.kube|\.openkoi|\.config/(autostart|systemd|fish|git|openkoi|pip)|\.git/hooks"
    r"|library/launch(agents|daemons)|start menu/programs/startup)(/|$)|(^|/)(authorized_keys2?|\.git/config)$",
    re.IGNORECASE,
)
TRACES = lazy_pattern(r"(^|/)\.(bash|zsh|python|mysql|psql|node_repl)_?history$|(^|/)\.history$|^/var/log(/|$)")
OWN_PROGRAM = lazy_pattern(r"^~/(?:\.local/bin|bin)/([\w.-]+)$")
EVERYTHING = frozenset(
    {"/", "/*", "/.*", "~", "~/*", "~/.*", "/root", "/home", "/home/*", "/usr", "/etc", "/var", "C:/", "C:/*"}
)


class PathKind(Enum):
    """The kind of a path, judged by its spelling, and why writing to it needs approval."""

    ORDINARY = ""
    DISK = "overwrites a disk"
    SYSTEM = "changes a system file"
    STARTUP = "changes what runs at login or who may log in"
    TRACES = "changes histories or logs"
    SOCKET = "connects to another machine"


def classify_path(path: str) -> PathKind:
    """Return the kind of a path."""
    name = normalize_home(path)
    if name.startswith(("/dev/tcp/", "/dev/udp/")):
        return PathKind.SOCKET
    for pattern, place in (
        (DISK, PathKind.DISK),
        (TRACES, PathKind.TRACES),
        (STARTUP, PathKind.STARTUP),
        (SYSTEM, PathKind.SYSTEM),
    ):
        if pattern.search(name):
            return place
    return PathKind.ORDINARY


def is_everything(path: str) -> bool:
    """Return whether a path is the whole machine or a whole home folder."""
    return re.sub(r"^/(?=/)", "", posixpath.normpath(path or ".")) in EVERYTHING


KINDS = ((DISK, PathKind.DISK), (TRACES, PathKind.TRACES), (STARTUP, PathKind.STARTUP), (SYSTEM, PathKind.SYSTEM))
CATEGORIES = {
    PathKind.DISK: "destructive",
    PathKind.SYSTEM: "system",
    PathKind.STARTUP: "persistence",
    PathKind.TRACES: "anti_forensics",
    PathKind.SOCKET: "network",
}


def check_read(source: Word) -> Iterator[Danger]:
    """Check a path that a shell reads from."""
    if is_secret(source.text):
        yield Danger(f"reads {source.text}, which contains secrets", "secrets")
    elif classify_path(source.text) is PathKind.SOCKET:
        yield Danger(f"{PathKind.SOCKET.value}, {source.text}", "network")


def is_known_program(program: str) -> bool:
    """Return whether the rules contain a program of this name, so that other programs run it."""
    return program in load_rules().by_name or any(
        program in load_programs(kind) for kind in ("looking", "clients", "shells")
    )


def check_write(target: Word) -> Iterator[Danger]:
    """Check a path that a command writes to."""
    place = classify_path(target.text)
    if place is PathKind.DISK:
        yield Danger(f"{place.value}, {target.text}", CATEGORIES[place], Deny if target.is_known else Ask)
    elif place is not PathKind.ORDINARY:
        yield Danger(f"{place.value}, {target.text}", CATEGORIES[place])
    elif (program := OWN_PROGRAM.match(normalize_home(target.text))) and is_known_program(program[1]):
        yield Danger(f"replaces the program {program[1]}", "persistence")
