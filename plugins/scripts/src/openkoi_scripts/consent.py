"""Ask the user whether a script may run, once for each version of it."""

from openkoi_base.grants import HOOK_SECONDS, Consent, explain_missing
from openkoi_hookspecs import YES_OR_NO, Koi, Question, Run, is_yes

from .script_files import ScriptFile

NOT_APPROVED = "Plugin {name!r} is not used: {path} {why}. To decide, run `openkoi script approve {name}`."
SUBJECT = "Run the script {path}? "
COMPUTES = "It cannot reach files, the network, variables or programs."
UNLIMITED = "It is Python and can do anything that you can."


def make_question(script: ScriptFile) -> Question:
    """Return the question whether a script may run."""
    may = UNLIMITED if script.is_python else f"It may {', '.join(script.capabilities.texts)}."
    may = may if script.is_python or script.capabilities.texts else COMPUTES
    text = SUBJECT.format(path=script.path) + may
    return Question(text, choices=YES_OR_NO, keep=True, digest=script.digest)


def is_refused(script: ScriptFile, koi: Koi) -> bool:
    """Return whether the user refused the current version of a script."""
    answer = koi.consent(script.digest) if script.needs_consent else None
    return answer is not None and not is_yes(answer)


def is_approved(script: ScriptFile, koi: Koi) -> bool:
    """Return whether the current version of a script may run."""
    return not script.needs_consent or is_yes(koi.consent(script.digest))


def make_consent(script: ScriptFile, koi: Koi) -> Consent:
    """Return the user's consent to the current version of a script."""
    return Consent(make_question(script), lambda: explain_unused(script, koi), koi)


def explain_unused(script: ScriptFile, koi: Koi) -> str:
    """Return the warning about a script whose current version is not approved."""
    return NOT_APPROVED.format(name=script.name, path=script.path, why=explain_why(script, koi))


def explain_why(script: ScriptFile, koi: Koi) -> str:
    """Return why a script needs approval, as a clause."""
    return explain_missing(koi, SUBJECT.format(path=script.path))


async def ask_approval(script: ScriptFile, consent: Consent, run: Run | None) -> bool:
    """Return whether a script may run; ask within a run, for as long as a hook may take."""
    if run is None or is_approved(script, consent.koi):
        return is_approved(script, consent.koi)
    return await consent.ask(run, seconds=HOOK_SECONDS)
