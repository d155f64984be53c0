"""What a person is told of a sandbox, in words. Pure: knows what was proved and what was wanted."""

from .limits import watched
from .policy import Level, Policy
from .proof import DOORS, TRIED, UNTRIED, Proof, listing
from .rung import Standing

WRITES = {
    Level.NONE: "whatever you may",
    Level.LIMITED: "whatever you may",
    Level.CONFINED: "the workspace and folders of their own",
    Level.ISOLATED: "the workspace and folders of their own",
}


def described(standing: Standing, policy: Policy) -> dict[str, str]:
    """Where we stand."""
    proof, claim = standing.proof, standing.rung.claim
    told = {
        "level": f"{proof.level.value} of 3, {proof.level.name.lower()} ({standing.rung.name}): {tried(proof, policy)}",
        "commands write": "" if proof.trouble else WRITES[proof.level] + also(policy, proof.level),
        "left open": listing(ways) if proof.level and (ways := left_open(proof, policy)) else "",
        "network": network(proof, policy),
        "processes": counted(policy) if claim else "without limit",
        "files that others run": standing.rung.autorun,
        "note that": standing.rung.caveat,
        "not higher because": ". ".join(standing.short),
    }
    return {word: value for word, value in told.items() if value}


def tried(proof: Proof, policy: Policy) -> str:
    """How much of what was tried is closed."""
    if proof.trouble:
        return "it cannot be put up here, so no command runs"
    if not proof.level:
        return "nothing is enforced"
    ways = wanted(policy)
    shut = len(ways & proof.refused)
    return f"{'all' if shut == len(ways) else f'{shut} of'} {len(ways)} ways out that were tried are closed"


def wanted(policy: Policy) -> frozenset[str]:
    """What ought to be refused: the network only where it is switched off, limits only where they are set."""
    off = {name for name, set_to in (("files", policy.file), ("memory", policy.memory)) if not set_to}
    return TRIED - UNTRIED - off - (DOORS - {"abstract"} if policy.network else frozenset())


def left_open(proof: Proof, policy: Policy) -> frozenset[str]:
    """What ought to be refused and is not."""
    return wanted(policy) - proof.refused


def also(policy: Policy, level: Level) -> str:
    """What the configuration opens besides."""
    if level < Level.CONFINED or not policy.writable:
        return ""
    return " and " + ", ".join(str(path) for path in policy.writable)


def network(proof: Proof, policy: Policy) -> str:
    """Whether the network can be reached, whatever was asked for."""
    if policy.network:
        return "on (servers on this machine too)"
    return "off" if proof.refused >= DOORS else "on: it cannot be switched off here"


def counted(policy: Policy) -> str:
    """How many processes there may be, and who sees to it."""
    if not policy.processes:
        return "without limit"
    by = "counted by us, since you are root" if watched(policy) else "by the kernel"
    return f"{policy.processes:,} at most ({by})"
