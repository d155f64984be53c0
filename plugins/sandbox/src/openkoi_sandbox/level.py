"""Define a sandbox level: its confinement, what it claims, and how it is tested."""

from collections.abc import Callable, Sequence

from openkoi_hookspecs.lazy_dataclass import dataclass

from .launch import Confinement, NoConfinement
from .run_until_timeout import JobSettings
from .sandbox_policy import SandboxLevel, SandboxPolicy
from .self_test import SelfTestResult, run_self_test


def no_text() -> str:
    """Return an empty string: nothing is missing, and there is no advice."""
    return ""


@dataclass(frozen=True, slots=True)
class LevelDefinition:
    """Define a level.

    ``missing`` says what it cannot do without and how to get it; ``advice`` what may keep it from working. ``caveat``
    is what no self-test shows and the user should know. ``autorun`` says what happens to files that other programs run.
    """

    name: str
    claim: SandboxLevel
    confinement: Callable[[SandboxPolicy], Confinement]
    missing: Callable[[], str] = no_text
    advice: Callable[[], str] = no_text
    caveat: str = ""
    autorun: str = "restored when a command ends; processes it leaves running may change them later"

    def run_test(self, policy: SandboxPolicy, settings: JobSettings) -> SelfTestResult:
        """Run the self-test; results beyond the claims do not count."""
        if not self.claim:
            return SelfTestResult(SandboxLevel.NONE)
        if missing := self.missing():
            return SelfTestResult(SandboxLevel.NONE, trouble=missing)
        proof = run_self_test(self.confinement, policy, settings)
        return SelfTestResult(min(proof.level, self.claim), proof.refused, proof.trouble)

    def explain_shortfall(self, proof: SelfTestResult) -> str:
        """Return why less was proved than is claimed; empty if everything was proved."""
        if proof.level >= self.claim:
            return ""
        advice = self.advice() if proof.trouble and not self.missing() else ""
        return f"{self.name}: " + "; ".join(
            filter(None, (proof.trouble or f"it does not prevent {proof.open_text}", advice))
        )


@dataclass(frozen=True, slots=True)
class TestedLevel:
    """The level in use, its self-test, and why no higher one is."""

    level: LevelDefinition
    result: SelfTestResult
    short: tuple[str, ...] = ()


NO_LEVEL = LevelDefinition("plain", SandboxLevel.NONE, lambda _policy: NoConfinement())


def find_best_level(levels: Sequence[LevelDefinition], policy: SandboxPolicy, settings: JobSettings) -> TestedLevel:
    """Test levels, strongest first, until no lower one could do better; return the best."""
    tried, short = list[TestedLevel](), list[str]()
    for level in levels:
        if tried and level.claim <= max(standing.result.level for standing in tried) and level.claim:
            break
        proof = level.run_test(policy, settings)
        tried.append(TestedLevel(level, proof))
        short += filter(None, [level.explain_shortfall(proof)])
    best = max(reversed(tried), key=lambda standing: standing.result.level)
    return TestedLevel(best.level, best.result, tuple(short))
