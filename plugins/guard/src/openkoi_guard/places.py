"""Paths that matter, by their spelling: disks, the system, what runs at a login, keys. Looks at no file system."""

import posixpath
import re
from collections.abc import Iterator
from enum import Enum

from openkoi_hookspecs import Ask, Deny

from .finding import Finding
from .patterns import book, programs
from .secret_files import is_secret, normalize_home
from .words import Word

DISK = re.compile(
    r"^/dev/([shv]d[a-z$]|\$|xvd|nvme\d|mmcblk|r?disk\d|mapper/|dm-|md\d|zd\d|nbd\d|k?mem$|port$|root$|disk/)"
    r"|^//\./physicaldrive",
    re.IGNORECASE,
)
SYSTEM = re.compile(
    r"^/(private/)?(etc|bin|sbin|lib\w*|usr|boot|sys|proc/sys|proc/sysrq-trigger|opt|srv|System|Library|Applications"
    r"|var/(spool|lib|log|db))(/|$)|^[a-z]:/windows(/|$)",
    re.IGNORECASE,
)
STARTUP = re.compile(
    r"(^|/)\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout"
    r"|kshrc|cshrc|tcshrc|login|xinitrc|xprofile|xsession|pam_environment|inputrc|gitconfig|npmrc_global|pythonrc)$"
    r"|^~/\.(vimrc|emacs|gdbinit|lldbinit|psqlrc|irbrc|pryrc|tmux\.conf|screenrc|gemrc|condarc|curlrc|wgetrc|bundle/config"
    r"|cargo/(config|env)(\.toml)?|m2/settings\.xml|gradle/init\.gradle(\.kts)?|composer/config\.json)$"
    r"|^~/\.(config/(uv|pip|nvim|direnv|tmux)|gradle/init\.d|ipython|emacs\.d|vim)/"
    r"|(^|/)(\.ssh|\.gnupg|\.aws|\.kube|\.openkoi|\.config/(autostart|systemd|fish|git|openkoi|pip)|\.git/hooks"
    r"|library/launch(agents|daemons)|start menu/programs/startup)(/|$)|(^|/)(authorized_keys2?|\.git/config)$",
    re.IGNORECASE,
)
TRACES = re.compile(r"(^|/)\.(bash|zsh|python|mysql|psql|node_repl)_?history$|(^|/)\.history$|^/var/log(/|$)")
OWN_PROGRAM = re.compile(r"^~/(?:\.local/bin|bin)/([\w.-]+)$")
EVERYTHING = frozenset(
    {"/", "/*", "/.*", "~", "~/*", "~/.*", "/root", "/home", "/home/*", "/usr", "/etc", "/var", "C:/", "C:/*"}
)


class Place(Enum):
    """What a path is, as far as its spelling says."""

    ORDINARY = ""
    DISK = "writes over a disk"
    SYSTEM = "changes a file of the system"
    STARTUP = "changes what runs at a login, or who may log in"
    TRACES = "changes the record of what was done"
    SOCKET = "talks to another machine"


def place_of(path: str) -> Place:
    """Say what is at a path."""
    name = normalize_home(path)
    if name.startswith(("/dev/tcp/", "/dev/udp/")):
        return Place.SOCKET
    for pattern, place in (
        (DISK, Place.DISK),
        (TRACES, Place.TRACES),
        (STARTUP, Place.STARTUP),
        (SYSTEM, Place.SYSTEM),
    ):
        if pattern.search(name):
            return place
    return Place.ORDINARY


def is_everything(path: str) -> bool:
    """Whether a path means the whole machine, or all that is somebody's."""
    return re.sub(r"^/(?=/)", "", posixpath.normpath(path or ".")) in EVERYTHING


KINDS = ((DISK, Place.DISK), (TRACES, Place.TRACES), (STARTUP, Place.STARTUP), (SYSTEM, Place.SYSTEM))
CATEGORIES = {
    Place.DISK: "destroying",
    Place.SYSTEM: "system",
    Place.STARTUP: "persistence",
    Place.TRACES: "traces",
    Place.SOCKET: "network",
}


def judge_read(source: Word) -> Iterator[Finding]:
    """Judge that the shell reads from a path."""
    if is_secret(source.text):
        yield Finding(f"reads {source.text}, which is secret", "secrets")
    elif place_of(source.text) is Place.SOCKET:
        yield Finding(f"{Place.SOCKET.value}, {source.text}", "network")


def is_known(program: str) -> bool:
    """Whether we have heard of a program of this name, so that others run it."""
    return program in book().by_name or any(program in programs(kind) for kind in ("looking", "clients", "shells"))


def judge_write(target: Word) -> Iterator[Finding]:
    """Judge that something is written to a path."""
    place = place_of(target.text)
    if place is Place.DISK:
        yield Finding(f"{place.value}, {target.text}", CATEGORIES[place], Deny if target.known else Ask)
    elif place is not Place.ORDINARY:
        yield Finding(f"{place.value}, {target.text}", CATEGORIES[place])
    elif (program := OWN_PROGRAM.match(normalize_home(target.text))) and is_known(program[1]):
        yield Finding(f"puts another program in the place of {program[1]}", "persistence")
