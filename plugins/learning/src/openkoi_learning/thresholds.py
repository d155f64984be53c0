"""The constants of learning, each with its origin."""

from openkoi_hookspecs.lazy_dataclass import dataclass

REGRESSION_DELTA = 0.1  # default of learning.regression_delta (LEARN-04)
PLATEAU_DELTA = 0.02  # default of learning.plateau_delta (LEARN-04)

MIN_RUNS = 3  # before anything is concluded: two noisy uses decide nothing (issue 22)
USUAL_TOKENS = 120  # shown in a task; beyond, only what is likelier to be needed than not (issue 22's goal)

# Estimates, checked on drawn worlds of all families; CURVES.md shows how the learner does with other values.
MIN_RELEVANCE = 0.3  # the chance that a task needs an entry and that it is right, from which it is shown
EARLIER_WEIGHT, EARLIER_MAX = 0.5, 2.5  # of a task before an entry was known, and of all of them together
PRIOR_RUNS = 0.5  # tasks that every share assumes
OWN_WORD_PRIOR, OTHER_WORD_PRIOR = 0.8, 0.25  # chance that a word of an entry means it; most that a new word does
NEWER_WEIGHT = 0.6  # weight that evidence keeps with each newer one
REFUTED_WEIGHT = 0.6  # weight that evidence for an entry keeps when a result refutes it
UNSEEN = 0.3  # times that each entry about a subject was right before anything was seen
MIN_GAIN, STATED_GAIN = 2.5, 2.0  # nats by which a condition predicts better, and what stating it is worth
MAX_OBSERVATIONS = 32  # newest runs in which conditions are looked for
FAMILIAR_LIFT = 1.5  # by which a word of enough tasks must make a need likelier, to count
EVERYWHERE_RUNS, EVERYWHERE_SHARE = 4, 0.6  # runs that needed an entry, and their share, for "every task here"
SURELY_NEEDED = 0.6  # from where an entry is shown beyond the usual tokens
VERIFIED_WORTH, OUTCOME_WORTH, OPINION_WORTH = 0.85, 0.75, 0.6  # of an entry before any outcome: by what taught it
PRIOR_ITERATIONS, MIN_ESTIMATES = 4.0, 40  # assumed of each kind of iteration; known before estimates are judged
OUTVOTED = 8  # times in a row that another entry about its subject was right instead
SIMILAR_SUBJECT = 0.6  # share of common words beside their contents, from which two entries are about one subject
SAME_WORDS = 0.8  # share of common words, from which two texts without content say the same
SAME_FINDING = 0.5  # share of common words, from which two findings are about one thing


@dataclass(frozen=True, slots=True)
class Thresholds:
    """By how much a score must fall, or how little it must gain at the end, before a rule applies (LEARN-04)."""

    regression: float = REGRESSION_DELTA
    plateau: float = PLATEAU_DELTA
