"""What a verdict says where no judge was asked, or not everybody in time. Pure.

Knows in what words the kernel says that an evaluator could not be asked, and that a judge speaks of itself as one.
"""

from dataclasses import replace

from .verdict import TIME, Verdict

NO_PROVIDER = 9
REFUSED = "No judge was asked, because of --no-judge: the checks decide."
MODELLESS = "No judge was asked: the checks decide. {why}"
NO_CHECKS = "nothing in it can be checked, and no judge was asked"
UNKNOWN = " could not judge: "
NO_CALLS = "limit of calls"
OF_ITSELF = "The judge "
NO_TIME = ("could not be asked", "limit of seconds")
LATE = "{reason}, but not everybody could judge it in time"


def in_doubt(verdict: Verdict) -> bool:
    """Whether somebody could not judge, perhaps because there is no model."""
    silent = any(UNKNOWN in text and NO_CALLS not in text for text in verdict.warnings)
    return not verdict.asked and (silent or bool(verdict.evaluation.unknown))


def nobody_asked(verdict: Verdict, why: str, *, refused: bool) -> Verdict:
    """The verdict where no model answered: ``why`` there is none, and whether a person ``refused`` to have one asked.

    What was said of asking one is replaced by one plain sentence.
    """
    if not (why or refused):
        return verdict
    warnings = [text for text in verdict.warnings if not of_asking(text, why)]
    unjudged = of_asking(verdict.evaluation.unknown, why)
    if unjudged and not refused:
        return replace(verdict, status=NO_PROVIDER, warnings=tuple(warnings))
    said = REFUSED if refused else MODELLESS.format(why=why)
    return replace(verdict, reason=NO_CHECKS if unjudged else verdict.reason, warnings=(*warnings, said))


def of_asking(text: str, why: str) -> bool:
    """Whether a sentence is about asking a model."""
    return text.startswith(OF_ITSELF) or NO_CALLS in text or bool(why and why in text)


def in_time(verdict: Verdict) -> Verdict:
    """The verdict; nothing is accepted that somebody had no time to judge."""
    if not any(all(words in text for words in NO_TIME) for text in verdict.warnings):
        return verdict
    if verdict.evaluation.unknown:
        return replace(verdict, status=TIME)
    return replace(verdict, status=TIME, reason=LATE.format(reason=verdict.reason)) if verdict.accepted else verdict
