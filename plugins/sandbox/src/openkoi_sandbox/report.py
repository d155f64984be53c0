"""Describe a sandbox to the user, from its self-test and its policy."""

from .level import TestedLevel
from .rlimits import max_processes_to_watch
from .sandbox_policy import SandboxLevel, SandboxPolicy
from .self_test import ALL_TESTS, NETWORK_TESTS, UNTESTABLE, SelfTestResult, describe_tests

WRITABLE_TEXT = {
    SandboxLevel.NONE: "everything that you can",
    SandboxLevel.LIMITED: "everything that you can",
    SandboxLevel.CONFINED: "the workspace and private folders",
    SandboxLevel.ISOLATED: "the workspace and private folders",
}


def describe_sandbox(standing: TestedLevel, policy: SandboxPolicy) -> dict[str, str]:
    """Return the state of the sandbox."""
    proof, claim = standing.result, standing.level.claim
    name = f"{proof.level.name.lower()} ({standing.level.name})"
    facts = {
        "level": f"{proof.level.value} of 3, {name}: {describe_tried(proof, policy)}",
        "commands write": "" if proof.trouble else WRITABLE_TEXT[proof.level] + describe_opened(policy, proof.level),
        "not prevented": describe_tests(ways) if proof.level and (ways := open_refusals(proof, policy)) else "",
        "network": describe_network(proof, policy),
        "processes": describe_process_limit(policy) if claim else "unlimited",
        "files run automatically": standing.level.autorun,
        "note": standing.level.caveat,
        "not higher because": ". ".join(standing.short),
    }
    return {word: value for word, value in facts.items() if value}


def describe_tried(proof: SelfTestResult, policy: SandboxPolicy) -> str:
    """Return how much of what was tried is closed."""
    if proof.trouble:
        return "it cannot be set up here, so no command runs"
    if not proof.level:
        return "nothing is enforced"
    ways = wanted_refusals(policy)
    shut = len(ways & proof.refused)
    return f"{'all' if shut == len(ways) else f'{shut} of'} {len(ways)} escape attempts were refused"


def wanted_refusals(policy: SandboxPolicy) -> frozenset[str]:
    """Return what should be refused: the network only where it is switched off, limits only where they are set."""
    off = {name for name, set_to in (("files", policy.file), ("memory", policy.memory)) if not set_to}
    return ALL_TESTS - UNTESTABLE - off - (NETWORK_TESTS - {"abstract"} if policy.network else frozenset())


def open_refusals(proof: SelfTestResult, policy: SandboxPolicy) -> frozenset[str]:
    """Return what should be refused and is not."""
    return wanted_refusals(policy) - proof.refused


def describe_opened(policy: SandboxPolicy, level: SandboxLevel) -> str:
    """Return what the configuration allows in addition."""
    if level < SandboxLevel.CONFINED or not policy.writable:
        return ""
    return " and " + ", ".join(str(path) for path in policy.writable)


def describe_network(proof: SelfTestResult, policy: SandboxPolicy) -> str:
    """Return whether the network can be reached, whatever was configured."""
    if policy.network:
        return "on (including servers on this machine)"
    return "off" if proof.refused >= NETWORK_TESTS else "on; it cannot be switched off here"


def describe_process_limit(policy: SandboxPolicy) -> str:
    """Return how many processes there may be, and what enforces it."""
    if not policy.processes:
        return "unlimited"
    by = "counted by OpenKoi, because you are root" if max_processes_to_watch(policy) else "by the kernel"
    return f"at most {policy.processes:,} ({by})"
