"""Say in words why an iteration is not good enough. Pure."""

from openkoi_hookspecs import Ended, Evaluation, Facts, Finding, Iteration, Limits, Policy

ENDS = {
    Ended.CYCLES: "stopped at the maximum number of cycles before it was done",
    Ended.BUDGET: "stopped at a limit before it was done",
    Ended.TIME: "stopped at the time limit before it was done",
    Ended.LOOP: "repeated the same calls without making progress",
    Ended.UNMET: "none of the declared conditions was met",
    Ended.PERSON: "waiting for approval",
}
CUT_OFF = "its answer was cut off at the model's length limit"
NOTHING_DONE = "nothing was done"
ADVICE = {
    Ended.CYCLES: "Continue from the current state of the files and finish the task in fewer steps.",
    Ended.LOOP: "Do not repeat calls whose result you know. Take another approach.",
    Ended.UNMET: "Continue until one of the conditions is met.",
}
DIGITS = range(2, 9)  # a difference below 1e-9 is rounding: such a score is accepted (history.py)
DO_IT = "Make the change that the task asks for. If it needs no change, answer and say why."


def shortfall(iteration: Iteration, limits: Limits) -> str:
    """Say why an iteration was not accepted."""
    facts, evaluation = iteration.facts, iteration.evaluation or Evaluation()
    if facts.red:
        return failures(evaluation)
    if facts.end is Ended.REFUSED:
        return f"the model refused: {first_line(iteration.work.text) or 'it gave no reason'}"
    if facts.end is not Ended.DONE:
        return how_it_ended(facts)
    if not (facts.answered or facts.changed):
        return NOTHING_DONE
    if facts.judged is not None:
        return below_threshold(facts.judged, limits.quality)
    if facts.policy is Policy.CHECKS and evaluation.missing:
        return f"not checked: {evaluation.missing[0]}"
    if facts.policy is Policy.CHECKS and facts.green:
        return "nothing was changed, so passing checks prove nothing"
    return "not judged"


def how_it_ended(facts: Facts) -> str:
    """Say how work ended that is not done; cycles end at a limit only where the answer was too long."""
    return CUT_OFF if facts.end is Ended.CYCLES and facts.limit else ENDS[facts.end]


def below_threshold(score: float, threshold: float) -> str:
    """Say that a score is too low, with enough digits to see by how much."""
    digits = next((count for count in DIGITS if f"{score:.{count}f}" != f"{threshold:.{count}f}"), DIGITS.stop)
    return f"score {score:.{digits}f} is below the threshold {threshold:.{digits}f}"


def failures(evaluation: Evaluation) -> str:
    """Name the open blocker, or else say how many checks fail."""
    if evaluation.blockers:
        return f"a blocker is open: {evaluation.blockers[0].title}"
    count = len(evaluation.failing)
    return f"{counted(count, 'required check')} {'fails' if count == 1 else 'fail'}"


def findings_of(iteration: Iteration) -> tuple[Finding, ...]:
    """Return findings beyond the evaluation's: that the model did nothing, or did not finish."""
    facts = iteration.facts
    if facts.end in ADVICE:
        return (Finding(capitalized(how_it_ended(facts)), rule="unfinished", fix=ADVICE[facts.end]),)
    if not facts.changed and (not facts.answered or facts.green):
        return (Finding(capitalized(NOTHING_DONE), rule="unfinished", fix=DO_IT),)
    return ()


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:200]
