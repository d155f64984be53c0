"""The constants of learning, each with its origin."""

from openkoi_hookspecs.lazy_dataclass import dataclass

REGRESSION_DELTA = 0.1  # default of learning.regression_delta (LEARN-04)
PLATEAU_DELTA = 0.02  # default of learning.plateau_delta (LEARN-04)

# Estimates, checked on drawn worlds of all twelve families (`python -m openkoi_testing.gym --worlds 0-24`).
MIN_RELEVANCE = 0.3  # the chance that a task needs an entry and that it is right, from which it is shown
EARLIER_WEIGHT, EARLIER_MAX = 0.5, 2.5  # of a task before an entry was known, and of all of them together
PRIOR_RUNS = 0.5  # tasks that every share assumes
OWN_WORD_PRIOR, OTHER_WORD_PRIOR = 0.8, 0.1  # chance that a word of an entry's text means it, and another word
NEWER_WEIGHT = 0.6  # weight that evidence keeps with each newer one
WORD_SMOOTHING = 2.0  # tasks that the share of a word assumes, between entries about one subject
WORD_LIMIT = 1.0  # what a word weighs at most between them
EVERYWHERE_RUNS, EVERYWHERE_SHARE = 4, 0.6  # runs that needed an entry, and their share, for "every task here"
USUAL_TOKENS = 120  # shown in a task; beyond, only what is likelier to be needed than not (issue 22's goal)
SURELY_NEEDED = 0.6
INDEPENDENT_RUNS = 3  # that confirm an opinion whose check is about several things, before it is verified
MOST_TASKS = 0.7  # share of an entry's tasks with a word, from which its absence speaks against it
REFUTATIONS = 3  # in a row, that archive an entry
OUTVOTED = 8  # times in a row that another entry about its subject was right instead


@dataclass(frozen=True, slots=True)
class Thresholds:
    """By how much a score must fall, or how little it must gain at the end, before a rule applies (LEARN-04)."""

    regression: float = REGRESSION_DELTA
    plateau: float = PLATEAU_DELTA
