"""Decide whether to go round again. Knows scores and limits; knows no models, hooks or clocks.

Pure and total. The rules stand in their order in RULES; the first that has something to say holds. Scores are means of
decimals: what misses a threshold by less than NEAR reaches it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from openkoi_hookspecs import Decision, Ended, Evaluation, Iteration, Limits, Mode, Ruling, Spend

NOTHING = Evaluation(unknown="nobody was asked")
STUBBORN = 3
NEAR = 1e-9


@dataclass(frozen=True)
class Story:
    """What a decision may rest on."""

    iterations: Sequence[Iteration]
    limits: Limits
    spent: Spend

    @property
    def last(self) -> Iteration:
        """The iteration that is to be decided about."""
        return self.iterations[-1]

    @property
    def now(self) -> Evaluation:
        """What is said of it."""
        return evaluation_of(self.last)

    @cached_property
    def before(self) -> "Story":
        """The story without its last iteration."""
        return Story(self.iterations[:-1], self.limits, self.spent)

    @property
    def best_score(self) -> float | None:
        """The highest score there is, if any is known."""
        return max((score for score in map(score_of, self.iterations) if score is not None), default=None)

    @property
    def never_judged(self) -> bool:
        """Whether nobody had an opinion so far."""
        return all(iteration.evaluation is None for iteration in self.iterations)

    @property
    def used_up(self) -> bool:
        """Whether no iteration is left."""
        return len(self.iterations) >= self.limits.iterations


def decide(iterations: Sequence[Iteration], limits: Limits, spent: Spend) -> Ruling:
    """Apply the rules in their order to what has happened so far."""
    if not iterations:
        return Ruling(Decision.CONTINUE, "nothing has been tried yet")
    story = Story(iterations, limits, spent)
    rulings = (rule(story) for rule in RULES)
    return next((ruling for ruling in rulings if ruling), Ruling(Decision.CONTINUE, "it can still be better"))


def best_of(iterations: Sequence[Iteration]) -> Iteration:
    """The best, not the last. An unscored one never beats a scored one; of equals the earlier holds."""
    return max(iterations, key=merit)


def merit(iteration: Iteration) -> tuple[bool, bool, bool, float, int]:
    evaluation, score = evaluation_of(iteration), score_of(iteration)
    clean = not evaluation.failing, not evaluation.blockers
    return score is not None, *clean, score or 0.0, -iteration.work.diff.count("\n")


def evaluation_of(iteration: Iteration) -> Evaluation:
    return iteration.evaluation or NOTHING


def score_of(iteration: Iteration) -> float | None:
    return evaluation_of(iteration).score


# The rules.


def looping(story: Story) -> Ruling | None:
    """A model that repeats itself is stopped, unless what it did before is good enough."""
    if story.last.work.ended is not Ended.LOOP or (story.last.work.files and good_enough(story)):
        return None
    return Ruling(Decision.ABORT_LOOP, "it repeated itself without getting anywhere")


def nothing_to_judge(story: Story) -> Ruling | None:
    """Work about which nobody has, or had, an opinion stands as it is."""
    if story.never_judged and story.last.work.ended is Ended.DONE:
        return Ruling(Decision.ACCEPT, "there was nothing to judge")
    return None


def good_enough(story: Story) -> Ruling | None:
    """Good work is accepted, even if it used the last token."""
    now, score = story.now, story.now.score
    if story.last.work.ended is Ended.PERSON or now.blockers or now.failing:
        return None
    if score is None or not score >= story.limits.quality - NEAR:
        return None
    return Ruling(Decision.ACCEPT, f"the score {score:.2f} is good enough")


def out_of_budget(story: Story) -> Ruling | None:
    """A refused lease counts as the limit reached."""
    if story.last.work.ended is Ended.BUDGET:
        limit = story.last.work.limit or "budget"
        return Ruling(Decision.ABORT_BUDGET, f"the limit of {limit} is reached")
    limits, spent = story.limits, story.spent
    for name, used, most in (
        ("tokens", spent.tokens, limits.tokens),
        ("dollars", spent.usd, limits.usd),
        ("calls", spent.calls, limits.calls),
    ):
        if used >= most and used > 0:
            return Ruling(Decision.ABORT_BUDGET, f"the limit of {name} is reached")
    return None


def out_of_time(story: Story) -> Ruling | None:
    """What is there when the time is over is what there will be."""
    if story.last.work.ended is Ended.TIME or story.spent.seconds >= story.limits.seconds:
        return Ruling(Decision.ABORT_TIMEOUT, f"the limit of {story.limits.seconds:g} seconds is reached")
    return None


def worse(story: Story) -> Ruling | None:
    """What made things worse is taken back, and once another way is tried from the best."""
    why = regression(story)
    if not why:
        return None
    if any(regression(earlier) for earlier in prefixes(story.before)):
        return Ruling(Decision.ABORT_REGRESSION, f"{why}, for the second time")
    return None if story.used_up else Ruling(Decision.CONTINUE, why, fresh=True)


def prefixes(story: Story) -> Sequence[Story]:
    counts = range(1, len(story.iterations) + 1)
    return [Story(story.iterations[:count], story.limits, story.spent) for count in counts]


def regression(story: Story) -> str:
    """How the last iteration is worse than those before; empty if it is not."""
    reddened = story.now.failing & green_before(story)
    if reddened:
        return f"{', '.join(sorted(reddened)[:3])} passed before"
    now, best, margin = story.now.score, story.before.best_score, story.limits.regression
    if now is None or best is None or margin is None or now >= best - margin - NEAR:
        return ""
    return f"the score fell from {best:.2f} to {now:.2f}"


def green_before(story: Story) -> frozenset[str]:
    earlier = (evaluation_of(iteration).checks for iteration in story.iterations[:-1])
    return frozenset(check.name for checks in earlier for check in checks if check.passed)


def needs_a_person(story: Story) -> Ruling | None:
    """A blocker that three attempts did not mend, or an act that only a person may allow."""
    if story.last.work.ended is Ended.PERSON:
        return Ruling(Decision.ESCALATE, "a person has to allow what comes next")
    stuck = [finding.title for finding in story.now.blockers if finding.key in still_open(story)]
    return Ruling(Decision.ESCALATE, f"{STUBBORN} attempts did not mend it: {stuck[0]}") if stuck else None


def used_up(story: Story) -> Ruling | None:
    """The iterations are over."""
    count = len(story.iterations)
    words = "1 iteration is" if count == 1 else f"{count} iterations are"
    return Ruling(Decision.ACCEPT_BEST, f"{words} used up") if story.used_up else None


def stalled(story: Story) -> Ruling | None:
    """Another attempt would bring nothing. A blocker is tried again all the same: it ends with a person."""
    if len(story.iterations) < 2 or story.now.blockers:
        return None
    if same_output(story):
        return Ruling(Decision.ACCEPT_BEST, "the last attempt changed nothing")
    if no_gain(story):
        return Ruling(Decision.ACCEPT_BEST, "the last attempt made it no better")
    return Ruling(Decision.ACCEPT_BEST, "the same findings stay open") if unmoved(story) else None


def same_output(story: Story) -> bool:
    """Whether nothing at all was done: what was judged before was judged by itself again."""
    return story.now.mode is Mode.CACHED


def no_gain(story: Story) -> bool:
    if story.now.checks != evaluation_of(story.before.last).checks:
        return False
    now, best = story.now.score, story.before.best_score
    if now is None:
        return score_of(story.before.last) is None
    return best is not None and now < best + story.limits.improvement - NEAR


def unmoved(story: Story) -> bool:
    return bool(story.now.open) and still_open(story) == {finding.key for finding in story.now.open}


def still_open(story: Story) -> set[tuple[str, str, str]]:
    """Findings that were open in each of the last three iterations."""
    if len(story.iterations) < STUBBORN:
        return set()
    recent = story.iterations[-STUBBORN:]
    return set.intersection(*({finding.key for finding in evaluation_of(one).open} for one in recent))


RULES = (
    looping,
    nothing_to_judge,
    good_enough,
    out_of_budget,
    out_of_time,
    worse,
    needs_a_person,
    used_up,
    stalled,
)
