"""List the protected paths, which no tool writes to without asking, and why."""

import os
from pathlib import Path

from openkoi_base.schema.autorun import protected_globs, rules_for
from openkoi_base.schema.protected_paths import join_path

DEFAULT_GLOBS = (
    ".git/**",
    "**/.git/**",
    *protected_globs(),
    "~/.gnupg/**",
    "~/.aws/**",
    "~/.kube/**",
    "~/.bash*",
    "~/.zsh*",
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


def find_reason(path: str, workspace: Path) -> str:
    """Return why a path is protected."""
    root = os.path.realpath(workspace)
    place = join_path(Path(root), ".", path)
    written = os.path.relpath(os.path.normpath(place), root).replace(os.sep, "/")
    rule = rules_for(root).find(written) or rules_for(os.sep).find(os.path.realpath(place).lstrip("/"))
    return rule.reason if rule and rule.protected else "writing there can change what runs later"
