"""Ask the user once whether a plugin may be used, and keep the answer with the kernel's consents.

Consent is bound to the module and its manifest: when either changes, the user is asked again.
"""

import asyncio
from collections import OrderedDict

from openkoi_hookspecs import Koi, Question, Run, is_yes

from .manifest import Manifest

YES, NO = "yes", "no"
NOT_APPROVED = "The WASM plugin {0} is not approved, so it is not used. To decide, run `openkoi wasm approve {0}`."
MAX_RUNS = 256  # that are remembered to have been asked


class Approval:
    """Whether one plugin, as it is now, may be used."""

    def __init__(self, manifest: Manifest, digest: str, koi: Koi) -> None:
        self.manifest, self.digest, self.koi = manifest, digest, koi
        self.deciding = asyncio.Lock()
        self.asked: OrderedDict[str, None] = OrderedDict()

    @property
    def is_given(self) -> bool:
        """Whether the user has approved it."""
        return is_yes(self.koi.consent(self.digest))

    async def ask(self, run: Run) -> bool:
        """Return whether the user approves it; ask at most once in a run."""
        if self.is_given:
            return True
        async with self.deciding:
            if self.koi.consent(self.digest) is None and run.outermost not in self.asked:
                self.remember(run.outermost)
                if await run.ask(question(self.manifest, self.digest)) is None:
                    self.koi.warn(NOT_APPROVED.format(self.manifest.name))
            return self.is_given

    def remember(self, run: str) -> None:
        """Note that a run was asked."""
        self.asked[run] = None
        if len(self.asked) > MAX_RUNS:
            self.asked.popitem(last=False)


def question(manifest: Manifest, digest: str) -> Question:
    """Return the question whether a plugin may be used."""
    text = f"Allow the WASM plugin {manifest.name} {manifest.version} ({manifest.module})? {describe(manifest)}"
    return Question(text, choices=(YES, NO), keep=True, digest=digest)


def describe(manifest: Manifest) -> str:
    """Return what a plugin brings and may do, in two sentences."""
    wants = "; ".join(manifest.wants) or "do nothing but compute"
    return f"It adds {'; '.join(manifest.brings)}. It may {wants}."
