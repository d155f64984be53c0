"""Level 3, the entry ``bubblewrap``: namespaces of its own for files, processes, users and, if wanted, the network."""

import contextlib
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from .caged import Caged
from .launch import LAUNCHER, Start, Taken, launched
from .limits import rlimits, watched
from .namespaces import Layout, bound_sockets, name_service, words
from .policy import Level, Policy
from .rules import abstract_only, version
from .rung import Rung
from .seccomp import is_known, namespaces_closed

LISTING = Path("/proc/net/unix")
PRIVATE_TEMPORARY = "/tmp"
KNOBS = (
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor forbids user namespaces to ordinary programs (as Ubuntu does): give bwrap a profile that allows"
        " 'userns', or set kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "set kernel.unprivileged_userns_clone=1"),
    ("/proc/sys/user/max_user_namespaces", "0", "set user.max_user_namespaces to 10000"),
)


@dataclass(frozen=True, slots=True)
class BubblewrapCage:
    """A command that sees the system read-only, and of other programs nothing."""

    policy: Policy
    program: str

    @property
    def seals(self) -> bool:
        """Mounts are read-only path by path."""
        return True

    @property
    def most_processes(self) -> int:
        """We count when the kernel does not."""
        return watched(self.policy)

    @contextlib.contextmanager
    def dressed(self, start: Start) -> Iterator[Start]:
        """Bubblewrap first, then the launcher within it."""
        root = start.root.resolve()
        needed = (Path(sys.prefix), Path(sys.base_prefix), LAUNCHER.parent, *name_service())
        listing = LISTING.read_text(errors="surrogateescape") if LISTING.exists() else ""
        policy = self.policy.opening(writable=start.den.writable, readable=start.den.readable)
        open_doors = bound_sockets(listing)
        laid = Layout(root, needed, tuple(open_doors), start.den.room, start.sealed)
        prefix = words(self.program, policy, laid)
        env = {**start.env, "TMPDIR": PRIVATE_TEMPORARY}
        with launched(replace(start, env=env, whole=True), self.taken(start.seconds), prefix=prefix) as ready:
            yield ready

    def taken(self, seconds: float) -> Taken:
        """What namespaces leave: limits, calls into what they do not keep apart, sockets without a path."""
        machine, abstract = platform.machine(), abstract_only(version())
        return Taken(
            rlimits(self.policy, seconds),
            (abstract, []) if abstract else None,
            namespaces_closed(machine) if is_known(machine) else b"",
        )


def bwrap() -> str:
    """Where bubblewrap is; it is looked for where the system keeps programs, not where a project may put one."""
    places = (Path("/usr/bin/bwrap"), Path("/usr/local/bin/bwrap"), Path("/bin/bwrap"))
    here = sys.platform.startswith("linux")
    nix = Path("/run/current-system/sw/bin/bwrap")
    return next((str(place) for place in (*places, nix) if here and place.exists()), "")


def made(policy: Policy) -> BubblewrapCage:
    """Namespaces of its own for each command."""
    return BubblewrapCage(policy, bwrap())


def missing() -> str:
    """It is a program of its own."""
    if bwrap():
        return ""
    if not sys.platform.startswith("linux"):
        return f"bubblewrap is Linux's, and this is {sys.platform}"
    return "the program bwrap is not installed (apt install bubblewrap, dnf install bubblewrap)"


def advice() -> str:
    """What on this machine forbids namespaces, and what to do."""
    return "; ".join(forbidding()) or "in a container, allow nested user namespaces"


def forbidding() -> Iterator[str]:
    """The settings of the system that say no."""
    for path, value, remedy in KNOBS:
        with contextlib.suppress(OSError):
            if Path(path).read_text().strip() == value:
                yield remedy


CAVEAT = "sockets that other programs make while a command runs are not hidden from it"
AUTORUN = "read-only (.git/hooks, .git/config, .envrc, editors, CI); new ones are moved away when a command ends"
ISOLATED = Rung("bubblewrap", Level.ISOLATED, made, missing, advice, CAVEAT, AUTORUN)


class Bubblewrap(Caged):
    """Namespaces, put up by the program ``bwrap``. Configured by ``[sandboxes.bubblewrap]``."""

    rungs = (ISOLATED,)
