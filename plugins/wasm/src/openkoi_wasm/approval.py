"""Ask the user once whether a plugin may be used, and keep the answer with the kernel's consents.

Consent is bound to the module and its manifest: when either changes, the user is asked again.
"""

from openkoi_base.grants import Consent, explain_missing
from openkoi_hookspecs import YES_OR_NO, Koi, Question

from .manifest import Manifest

NOT_APPROVED = "The WASM plugin {0} {1}, so it is not used. To decide, run `openkoi wasm approve {0}`."
SUBJECT = "Allow the WASM plugin {0} "


def make_consent(manifest: Manifest, digest: str, koi: Koi) -> Consent:
    """Return the user's consent to a plugin in its current state."""
    return Consent(question(manifest, digest), lambda: explain_unused(manifest.name, koi), koi)


def explain_unused(name: str, koi: Koi) -> str:
    """Return the message about a plugin whose current state is not approved."""
    return NOT_APPROVED.format(name, explain_missing(koi, SUBJECT.format(name)))


def question(manifest: Manifest, digest: str) -> Question:
    """Return the question whether a plugin may be used."""
    subject = SUBJECT.format(manifest.name)
    text = f"{subject}{manifest.version} ({manifest.module})? {describe(manifest)}"
    return Question(text, choices=YES_OR_NO, keep=True, digest=digest)


def describe(manifest: Manifest) -> str:
    """Describe in two sentences what a plugin adds and may do."""
    wants = "; ".join(manifest.wants) or "only compute"
    return f"It adds {'; '.join(manifest.brings)}. It may {wants}."
