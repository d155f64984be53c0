"""Paths that no tool may write to without asking, as they are on the disk, links resolved."""

import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from glob import has_magic, iglob
from itertools import islice
from pathlib import Path

from openkoi_schema import protected_globs, rule_of

HOME = re.compile(r"^\$(HOME\b|\{HOME\})")
MOST_MATCHES = 100
MOST_SIGNS = 2
DEFAULTS = (
    ".git/**",
    "**/.git/**",
    *protected_globs(),
    "~/.ssh/**",
    "~/.gnupg/**",
    "~/.aws/**",
    "~/.kube/**",
    "~/.openkoi/**",
    "~/.config/openkoi/**",
    "~/.config/autostart/**",
    "~/.config/systemd/**",
    "~/.config/fish/**",
    "~/.config/git/**",
    "~/Library/LaunchAgents/**",
    "~/.netrc",
    "~/.npmrc",
    "~/.pypirc",
    "~/.gitconfig",
    "~/.bash*",
    "~/.zsh*",
    "~/.zprofile",
    "~/.zlogin",
    "~/.profile",
    "/etc/**",
    "/usr/**",
    "/bin/**",
    "/sbin/**",
    "/lib*/**",
    "/var/spool/**",
    "/boot/**",
    "/dev/sd*",
    "/dev/nvme*",
    "/System/**",
    "/Library/**",
)


def protected_by(path: str, globs: Sequence[str], workspace: Path, folders: Sequence[str] = (".",)) -> str:
    """The first pattern that protects a path, in any of the folders it may be meant from; empty if none does."""
    for folder in folders:
        for spelled in spellings(workspace, folder, path):
            for glob in globs:
                if any(within(spelled, one) for one in anchored(glob, workspace)):
                    return glob
    return ""


def places(path: str, globs: Sequence[str], workspace: Path, folders: Sequence[str]) -> Iterator[str]:
    """Where the path is, in those of the folders in which it is protected."""
    for folder in folders:
        if protected_by(path, globs, workspace, (folder,)):
            yield os.path.realpath(os.path.join(workspace, at_home(folder), at_home(path)))  # noqa: PTH118


def reason(path: str, workspace: Path) -> str:
    """Why it is protected."""
    place = os.path.relpath(os.path.join(workspace, at_home(path)), workspace)  # noqa: PTH118
    rule = rule_of(place.replace(os.sep, "/"))
    return rule.reason if rule and rule.protected else "writing there can change what runs later"


def spellings(workspace: Path, folder: str, path: str) -> Iterator[str]:
    """A path as it is written and as it is on the disk: both count."""
    written = os.path.join(workspace, at_home(folder), at_home(path))  # noqa: PTH118  # a Path would join, not keep ".."
    yield plain(os.path.normpath(written))
    try:
        yield from (plain(os.path.realpath(one)) for one in (written, *matches(written)))
    except (OSError, ValueError):
        return


def matches(pattern: str) -> Iterator[str]:
    """What a shell would make of a path with signs in it; one that would take long is not looked into."""
    if 0 < sum(map(has_magic, pattern.split("/"))) <= MOST_SIGNS and "**" not in pattern:
        yield from islice(iglob(pattern), MOST_MATCHES)  # noqa: PTH207  # the pattern is a whole path


def at_home(path: str) -> str:
    """A path with the home folder written out, up to a sign that would end it."""
    spelled = HOME.sub("~", path.partition("\0")[0].removeprefix("file://"))
    return os.path.expanduser(spelled)  # noqa: PTH111  # a stranger's ~name stays as it is


def anchored(glob: str, workspace: Path) -> Iterator[str]:
    """A pattern from the root on: relative ones mean the workspace."""
    base = os.path.join(workspace, os.path.expanduser(glob))  # noqa: PTH111, PTH118  # a pattern is no path yet
    yield plain(base)
    fixed, sign, rest = base.partition("*")
    if sign:
        head, slash, tail = fixed.rpartition("/")
        yield plain(os.path.realpath(head or "/") + slash + tail + sign + rest)
    else:
        yield plain(os.path.realpath(base))


def within(path: str, glob: str) -> bool:
    """Whether a pattern means a path; one that ends in ``/**`` means the folder too."""
    return fnmatchcase(path, glob) or (glob.endswith("/**") and fnmatchcase(path, glob[:-3]))


def plain(path: str) -> str:
    """One spelling for systems that ignore case, or write folders with another sign."""
    return path.replace(os.sep, "/").casefold()
