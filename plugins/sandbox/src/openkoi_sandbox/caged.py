"""What all cages share: their configuration, the proof of what holds, and the refusal to run in less than wanted."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from openkoi_hookspecs import Command, Completed, Data, KoiError

from .job import Job, Settings
from .limits import watched
from .policy import CREDENTIALS, Level, Policy, places
from .proof import DOORS, Proof
from .rung import Rung, Standing, climb
from .running import check_writable, perform

MB = 1_000_000


class Caged:
    """A sandbox that stands on the best of its rungs; subclasses name them."""

    rungs: ClassVar[Sequence[Rung]] = ()

    def __init__(
        self,
        *,
        folder: Annotated[Path, Data("outputs")],
        network: bool = True,
        writable: tuple[str, ...] = (),
        readable: tuple[str, ...] = (),
        hidden: tuple[str, ...] = CREDENTIALS,
        memory_mb: int = 8_192,
        file_mb: int = 10_240,
        processes: int = 4_096,
        minimum: Literal["none", "limited", "confined", "isolated"] = "none",
        max_output_mb: float = 50.0,
        grace: float = 2.0,
        pass_env: tuple[str, ...] = (),
    ) -> None:
        self.folder = folder.expanduser().absolute()
        self.settings = Settings(self.folder, int(max_output_mb * MB), grace, pass_env)
        self.minimum = Level[minimum.upper()]
        self.policy = Policy(
            network=network,
            writable=places(writable),
            readable=(*places(readable), self.folder.resolve()),
            hidden=places(hidden),
            memory=memory_mb * MB,
            file=file_mb * MB,
            processes=processes,
        )
        self.climbing = threading.Lock()
        self.reached: Standing | None = None

    def standing(self) -> Standing:
        """The rung that was proved: tried once, and remembered."""
        with self.climbing:
            if self.reached is None:
                self.reached = climb(self.rungs, self.policy, self.settings)
            return self.reached

    def chosen(self) -> Rung:
        """The rung to run on. Raises when it cannot be had, or holds less than the configuration wants."""
        if len(self.rungs) == 1 and not self.minimum:
            return present(self.rungs[0])
        standing = self.standing()
        if standing.proof.level >= self.minimum:
            return standing.rung
        raise KoiError(
            f"No command is run: the configuration wants a sandbox that is {self.minimum.name.lower()}, and here only"
            f" {standing.proof.level.name.lower()} could be proved. {'. '.join(standing.short)}."
            " Provide what is missing, or set 'minimum' lower."
        )

    async def level(self) -> int:
        """What was proved by trying."""
        return (await asyncio.to_thread(self.standing)).proof.level

    async def execute(self, command: Command, root: Path) -> Completed:
        """Run it in the cage; when this returns, or is cancelled, no process of it is left."""
        rung = await asyncio.to_thread(self.chosen)
        return await perform(Job(command, root, self.settings, rung.cage(self.policy)))

    async def examine(self) -> Mapping[str, str]:
        """Tell what was proved, what stays open, and why it is not more."""
        await asyncio.to_thread(check_writable, self.folder)
        standing = await asyncio.to_thread(self.standing)
        if standing.proof.level < self.minimum:
            await asyncio.to_thread(self.chosen)
        return {**described(standing, self.policy), "outputs": str(self.folder)}


def present(rung: Rung) -> Rung:
    """The rung itself, unless something it needs is missing."""
    if missing := rung.missing():
        raise KoiError(f"No command is run: {missing}. Or choose another sandbox, such as 'ladder'.")
    return rung


def described(standing: Standing, policy: Policy) -> dict[str, str]:
    """Where we stand, in words."""
    level, proof = standing.proof.level, standing.proof
    how = "proved by trying" if level else "nothing is enforced: a command may do whatever you may"
    told = {
        "level": f"{level.value}, {level.name.lower()} ({standing.rung.name}), {how}",
        "refused": proof.closed,
        "open": proof.open,
        "network": network(proof, policy),
        "processes": counted(policy) if standing.rung.claim else "without limit",
        "not claimed": standing.rung.caveat,
        "not higher": ". ".join(standing.short),
    }
    return {word: value for word, value in told.items() if value}


def network(proof: Proof, policy: Policy) -> str:
    """Whether the network can be reached, whatever was asked for."""
    if policy.network:
        return "on"
    return "off" if proof.refused >= DOORS else "on: it cannot be switched off here"


def counted(policy: Policy) -> str:
    """How many processes there may be, and who sees to it."""
    if not policy.processes:
        return "without limit"
    return f"{policy.processes} at most, {'counted by us, since you are root' if watched(policy) else 'by the kernel'}"
