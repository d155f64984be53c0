"""Which paths no tool writes to without asking, and why."""

import os
from pathlib import Path

from openkoi_base.schema import find_rule, protected_globs

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


def reason(path: str, workspace: Path) -> str:
    """Why it is protected."""
    place = os.path.relpath(os.path.join(workspace, path), workspace)  # noqa: PTH118
    rule = find_rule(place.replace(os.sep, "/"))
    return rule.reason if rule and rule.protected else "writing there can change what runs later"
