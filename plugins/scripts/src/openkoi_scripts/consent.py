"""Ask the user whether a script may run, once for each version of it."""

import asyncio
from dataclasses import field

from openkoi_hookspecs import Koi, Question, Run, is_yes
from openkoi_hookspecs.lazy_dataclass import dataclass

from .script_files import ScriptFile

YES, NO = "yes", "no"
ANSWER_SECONDS = 25.0  # a hook is cut off after 30 s by default
NOT_APPROVED = "Plugin {name!r} is not used: {path} is not approved. To decide, run `openkoi script approve {name}`."
COMPUTES = "It cannot reach files, the network, variables or programs."
UNLIMITED = "It is Python, and can do everything that you can."


def make_question(script: ScriptFile) -> Question:
    """Return the question whether a script may run."""
    may = UNLIMITED if script.is_python else f"It may {', '.join(script.capabilities.texts)}."
    text = f"Run the script {script.path}? {may if script.is_python or script.capabilities.texts else COMPUTES}"
    return Question(text, choices=(YES, NO), keep=True, digest=script.digest)


def is_refused(script: ScriptFile, koi: Koi) -> bool:
    """Return whether the user decided against a script as it is now."""
    answer = koi.consent(script.digest) if script.needs_consent else None
    return answer is not None and not is_yes(answer)


def is_approved(script: ScriptFile, koi: Koi) -> bool:
    """Return whether a script may run now."""
    return not script.needs_consent or is_yes(koi.consent(script.digest))


@dataclass(slots=True)
class Approval:
    """Whether one script may run; the user is asked once in a process."""

    script: ScriptFile
    has_asked: bool = False
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def is_given(self, koi: Koi, run: Run | None) -> bool:
        """Return whether the script may run; ask within a run, and warn where there is no answer."""
        if is_approved(self.script, koi):
            return True
        async with self.asking:
            if not self.has_asked and run is not None:
                self.has_asked = True
                await self.ask(run)
        return is_approved(self.script, koi)

    async def ask(self, run: Run) -> None:
        """Ask, for as long as a hook may take."""
        answer = None
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                answer = await run.ask(make_question(self.script))
        except TimeoutError:
            pass
        if answer is None:
            run.koi.warn(NOT_APPROVED.format(name=self.script.name, path=self.script.path))
