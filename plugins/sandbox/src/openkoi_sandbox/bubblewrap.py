"""Confine commands with bubblewrap (``bwrap``): sandbox level 3, entry point ``bubblewrap``.

Separate namespaces for files, processes, users and, if configured, the network.
"""

import contextlib
import platform
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from openkoi_hookspecs.lazy_dataclass import dataclass

from .base import BaseSandbox
from .landlock_rules import abstract_socket_attributes, landlock_version
from .launch import LAUNCHER, CommandStart, Restrictions, start_through_launcher
from .level import LevelDefinition
from .namespaces import MountLayout, bound_sockets, bwrap_arguments, name_service_folders
from .rlimits import compute_rlimits
from .rlimits_sandbox import RlimitsConfinement
from .sandbox_policy import SandboxLevel, SandboxPolicy
from .seccomp import is_known_machine, namespace_filter

UNIX_SOCKETS = Path("/proc/net/unix")
PRIVATE_TEMPORARY = "/tmp"
KERNEL_SETTINGS = (
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor does not let programs use user namespaces (the default on Ubuntu): give bwrap a profile that allows"
        " 'userns', or set kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "set kernel.unprivileged_userns_clone=1"),
    ("/proc/sys/user/max_user_namespaces", "0", "set user.max_user_namespaces to 10000"),
)


@dataclass(frozen=True, slots=True)
class BubblewrapConfinement(RlimitsConfinement):
    """Confine a command so that it sees the system read-only, and nothing of other programs."""

    makes_read_only: ClassVar[bool] = True
    program: str

    @contextlib.contextmanager
    def wrap(self, start: CommandStart) -> Iterator[CommandStart]:
        """Start bubblewrap, and the launcher inside it."""
        root = start.root.resolve()
        needed = (Path(sys.prefix), Path(sys.base_prefix), LAUNCHER.parent, *name_service_folders())
        listing = UNIX_SOCKETS.read_text(errors="surrogateescape") if UNIX_SOCKETS.exists() else ""
        policy = self.policy.with_paths(writable=start.private.writable, readable=start.private.readable)
        open_doors = bound_sockets(listing)
        laid = MountLayout(root, needed, tuple(open_doors), start.private.temporary, start.read_only)
        prefix = bwrap_arguments(self.program, policy, laid)
        env = {**start.env, "TMPDIR": PRIVATE_TEMPORARY}
        with start_through_launcher(
            replace(start, env=env, dies_together=True), self.restrictions(start.seconds), prefix=prefix
        ) as ready:
            yield ready

    def restrictions(self, seconds: float) -> Restrictions:
        """Return restrictions for what namespaces leave open: resources, some system calls, sockets without a path."""
        machine, abstract = platform.machine(), abstract_socket_attributes(landlock_version())
        return Restrictions(
            compute_rlimits(self.policy, seconds),
            (abstract, []) if abstract else None,
            namespace_filter(machine) if is_known_machine(machine) else b"",
        )


def find_bwrap() -> str:
    """Return the path of bubblewrap, looked up only in the system's folders, where no project can add one."""
    places = (Path("/usr/bin/bwrap"), Path("/usr/local/bin/bwrap"), Path("/bin/bwrap"))
    here = sys.platform.startswith("linux")
    nix = Path("/run/current-system/sw/bin/bwrap")
    return next((str(place) for place in (*places, nix) if here and place.exists()), "")


def build_confinement(policy: SandboxPolicy) -> BubblewrapConfinement:
    """Return separate namespaces for each command."""
    return BubblewrapConfinement(policy, find_bwrap())


def missing_requirement() -> str:
    """Return what is missing to run it."""
    if find_bwrap():
        return ""
    if not sys.platform.startswith("linux"):
        return f"bubblewrap needs Linux, but this is {sys.platform}"
    return "the program bwrap is not installed (apt install bubblewrap, dnf install bubblewrap)"


def kernel_advice() -> str:
    """Return what prevents namespaces on this machine, and what to do."""
    return "; ".join(forbidding_settings()) or "in a container, allow nested user namespaces"


def forbidding_settings() -> Iterator[str]:
    """Yield the system settings that prevent it."""
    for path, value, remedy in KERNEL_SETTINGS:
        with contextlib.suppress(OSError):
            if Path(path).read_text().strip() == value:
                yield remedy


CAVEAT = "sockets that other programs create while a command runs are not hidden from it"
AUTORUN = "read-only (.git/hooks, .git/config, .envrc, editors, CI); new ones are moved elsewhere after each command"
BUBBLEWRAP_LEVEL = LevelDefinition(
    "bubblewrap", SandboxLevel.ISOLATED, build_confinement, missing_requirement, kernel_advice, CAVEAT, AUTORUN
)


class BubblewrapSandbox(BaseSandbox):
    """Run commands in namespaces created by the program ``bwrap``. Configured by ``[sandboxes.bubblewrap]``."""

    levels = (BUBBLEWRAP_LEVEL,)
