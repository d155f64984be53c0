"""One step of the ladder: a kind of cage, what it claims, and how it is tried. Knows no configuration file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .job import Settings
from .launch import Cage, Uncaged
from .policy import Level, Policy
from .proof import Proof, prove


def nothing() -> str:
    """Nothing is missing, or to be advised."""
    return ""


@dataclass(frozen=True, slots=True)
class Rung:
    """``missing`` says what it cannot do without and how to get it; ``advice`` what may keep it from working.

    ``caveat`` is what no probe shows and the user should know. ``autorun`` says what becomes of files that others run.
    """

    name: str
    claim: Level
    cage: Callable[[Policy], Cage]
    missing: Callable[[], str] = nothing
    advice: Callable[[], str] = nothing
    caveat: str = ""
    autorun: str = "restored when a command ends; what it started elsewhere may change them later"

    def tried(self, policy: Policy, settings: Settings) -> Proof:
        """Let the probe loose in it; no more counts than was claimed."""
        if not self.claim:
            return Proof(Level.NONE)
        if missing := self.missing():
            return Proof(Level.NONE, trouble=missing)
        proof = prove(self.cage, policy, settings)
        return Proof(min(proof.level, self.claim), proof.refused, proof.trouble)

    def shortfall(self, proof: Proof) -> str:
        """Why less was proved than is claimed; empty when all of it was."""
        if proof.level >= self.claim:
            return ""
        advice = self.advice() if proof.trouble and not self.missing() else ""
        return f"{self.name}: " + "; ".join(filter(None, (proof.trouble or f"it left open {proof.open}", advice)))


@dataclass(frozen=True, slots=True)
class Standing:
    """The rung that is stood on, what it proved, and why no higher one is."""

    rung: Rung
    proof: Proof
    short: tuple[str, ...] = ()


PLAIN = Rung("plain", Level.NONE, lambda _policy: Uncaged())


def climb(rungs: Sequence[Rung], policy: Policy, settings: Settings) -> Standing:
    """Try rungs, the strongest first, until none of those below could be better; stand on the best."""
    tried, short = list[Standing](), list[str]()
    for rung in rungs:
        if tried and rung.claim <= max(standing.proof.level for standing in tried) and rung.claim:
            break
        proof = rung.tried(policy, settings)
        tried.append(Standing(rung, proof))
        short += filter(None, [rung.shortfall(proof)])
    best = max(reversed(tried), key=lambda standing: standing.proof.level)
    return Standing(best.rung, best.proof, tuple(short))
