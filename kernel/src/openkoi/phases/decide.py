"""Decide whether to go round again. Knows scores and limits; knows no models, hooks or clocks."""

from collections.abc import Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Decision, Ended, Evaluation, Iteration, Limits, Ruling, Spend

NOTHING = Evaluation(unknown="nobody was asked")


@dataclass(frozen=True, slots=True)
class Story:
    """What a decision may rest on."""

    iterations: Sequence[Iteration]
    limits: Limits
    spent: Spend

    @property
    def last(self) -> Iteration:
        return self.iterations[-1]

    @property
    def now(self) -> Evaluation:
        return self.last.evaluation or NOTHING

    @property
    def scores(self) -> list[float]:
        """The scores there are, in order."""
        known = [(iteration.evaluation or NOTHING).score for iteration in self.iterations]
        return [score for score in known if score is not None]


def decide(iterations: Sequence[Iteration], limits: Limits, spent: Spend) -> Ruling:
    """Apply the rules in their order; the first that has something to say holds."""
    story = Story(iterations, limits, spent)
    rulings = (rule(story) for rule in RULES)
    return next((ruling for ruling in rulings if ruling), Ruling(Decision.CONTINUE, "it can still be better"))


def best_of(iterations: Sequence[Iteration]) -> Iteration:
    """The best, not the last: a known score first, then checks, blockers, score, the smaller change, the earlier."""
    return max(iterations, key=merit)


def merit(iteration: Iteration) -> tuple[bool, bool, bool, float, int]:
    evaluation = iteration.evaluation or NOTHING
    score = evaluation.score
    clean = not evaluation.failing, not evaluation.blockers
    return score is not None, *clean, score or 0.0, -iteration.work.diff.count("\n")


def nothing_to_judge(story: Story) -> Ruling | None:
    if story.last.evaluation is None and story.last.work.ended is Ended.DONE:
        return Ruling(Decision.ACCEPT, "there was nothing to judge")
    return None


def good_enough(story: Story) -> Ruling | None:
    now = story.now
    if now.blockers or now.failing or now.score is None or now.score < story.limits.quality:
        return None
    return Ruling(Decision.ACCEPT, f"the score {now.score:.2f} is good enough")


def out_of_budget(story: Story) -> Ruling | None:
    if story.last.work.ended is Ended.BUDGET or spent_up(story.spent, story.limits):
        return Ruling(Decision.ABORT_BUDGET, f"${story.spent.usd:.2f} and {story.spent.tokens} tokens are spent")
    return None


def spent_up(spent: Spend, limits: Limits) -> bool:
    return spent.tokens >= limits.tokens or spent.usd >= limits.usd or spent.calls >= limits.calls


def out_of_time(story: Story) -> Ruling | None:
    if story.last.work.ended is Ended.TIME or story.spent.seconds >= story.limits.seconds:
        return Ruling(Decision.ABORT_TIMEOUT, f"{story.spent.seconds:.0f} seconds are over")
    return None


def looping(story: Story) -> Ruling | None:
    if story.last.work.ended is Ended.LOOP:
        return Ruling(Decision.ABORT_LOOP, "it repeated itself without getting anywhere")
    return None


def worse(story: Story) -> Ruling | None:
    reddened = story.now.failing & green_before(story)
    if reddened:
        return Ruling(Decision.ABORT_REGRESSION, f"{', '.join(sorted(reddened))} passed before")
    return fallen(story)


def fallen(story: Story) -> Ruling | None:
    now, margin = story.now.score, story.limits.regression
    if now is None or margin is None or now >= max(story.scores) - margin:
        return None
    return Ruling(Decision.ABORT_REGRESSION, f"the score fell from {max(story.scores):.2f} to {now:.2f}")


def green_before(story: Story) -> frozenset[str]:
    return frozenset(c.name for i in story.iterations[:-1] if i.evaluation for c in i.evaluation.checks if c.passed)


def needs_a_person(story: Story) -> Ruling | None:
    if story.last.work.ended is Ended.PERSON:
        return Ruling(Decision.ESCALATE, "a person has to allow what comes next")
    stuck = [finding.title for finding in story.now.blockers if finding.key in still_open(story)]
    return Ruling(Decision.ESCALATE, f"two attempts did not mend it: {stuck[0]}") if stuck else None


def used_up(story: Story) -> Ruling | None:
    if len(story.iterations) < story.limits.iterations:
        return None
    return Ruling(Decision.ACCEPT_BEST, f"{len(story.iterations)} iterations are used up")


def stalled(story: Story) -> Ruling | None:
    if no_gain(story):
        return Ruling(Decision.ACCEPT_BEST, "two attempts made it no better")
    return Ruling(Decision.ACCEPT_BEST, "two attempts left the same findings open") if unmoved(story) else None


def no_gain(story: Story) -> bool:
    scores = story.scores
    return len(scores) > 2 and all(scores[n] < max(scores[:n]) + story.limits.improvement for n in (-1, -2))


def unmoved(story: Story) -> bool:
    return bool(story.now.open) and still_open(story) == {finding.key for finding in story.now.open}


def still_open(story: Story) -> set[tuple[str, str, str]]:
    """Findings that were open in each of the last three iterations."""
    if len(story.iterations) < 3:
        return set()
    return set.intersection(*({f.key for f in (i.evaluation or NOTHING).open} for i in story.iterations[-3:]))


RULES = (nothing_to_judge, good_enough, out_of_budget, out_of_time, looping, worse, needs_a_person, used_up, stalled)
