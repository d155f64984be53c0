"""The constants of learning, each with its origin."""

from openkoi_hookspecs.lazy_dataclass import dataclass

REGRESSION_DELTA = 0.1  # default of learning.regression_delta (LEARN-04)
PLATEAU_DELTA = 0.02  # default of learning.plateau_delta (LEARN-04)

MIN_RUNS = 3  # runs before anything is concluded, because two noisy uses decide nothing (issue 22)
USUAL_TOKENS = 120  # of entries in a prompt; beyond, only what is likelier needed than not (issue 22)

# Estimates, kept by the one-standard-error rule over families of random worlds; CURVES.md shows the results of other
# values, and why three that were outside one standard error were kept.
MIN_RELEVANCE = 0.3  # minimum chance that a task needs an entry and that the entry is right
EARLIER_WEIGHT, EARLIER_MAX = 0.5, 2.5  # weight of a task before an entry was known, and of all such tasks together
PRIOR_RUNS = 0.5  # tasks that every share assumes in advance
OWN_WORD_PRIOR, OTHER_WORD_PRIOR = 0.8, 0.25  # assumed chance that an entry's word, or another word, means a need
NEWER_WEIGHT = 0.6  # share of its weight that evidence keeps with each newer piece of evidence
REFUTED_WEIGHT = 0.6  # share of its weight that evidence for an entry keeps when a result refutes the entry
UNSEEN = 0.3  # times that each entry about a subject is assumed to have been right in advance
MIN_GAIN, STATED_GAIN = 2.5, 2.0  # nats by which a condition must improve predictions, and a stated one's bonus
MAX_OBSERVATIONS = 32  # newest runs in which conditions are looked for
FAMILIAR_LIFT = 1.5  # factor by which a familiar word has to make a need likelier, to count
EVERYWHERE_RUNS, EVERYWHERE_SHARE = 4, 0.6  # runs that needed an entry, and their share, from which every task needs it
SURELY_NEEDED = 0.6  # relevance from which an entry may exceed the usual tokens
VERIFIED_WORTH, OUTCOME_WORTH, OPINION_WORTH = 0.85, 0.75, 0.6  # worth before any outcome, by what taught the entry
PRIOR_ITERATIONS, MIN_ESTIMATES = 4.0, 40  # iterations assumed of each kind; estimates known before they are judged
OUTVOTED = 8  # times in a row that another entry about its subject was right instead
SIMILAR_SUBJECT = 0.6  # share of common words, besides the contents, from which two entries have one subject
SAME_WORDS = 0.8  # share of common words from which two texts without content say the same
SAME_FINDING = 0.5  # share of common words from which two findings are about the same thing
USUAL_RUNS = 3.0  # runs at the usual rate that every estimate of an uplift assumes
MIN_DIFFERENCE = 0.1  # difference in the share of passes that an entry must make
MIN_SUBJECT_WORDS = 2  # of an advice besides its content; with fewer, its finding's title states the subject
OVERHEAD_TOKENS = 4  # of an entry's list item and line break
MAX_COMPARED = 64  # the likeliest candidates, which are compared in pairs; eight at most are shown


@dataclass(frozen=True, slots=True)
class Thresholds:
    """By how much a score must fall, or how little it may gain at the end, for a rule to apply (LEARN-04)."""

    regression: float = REGRESSION_DELTA
    plateau: float = PLATEAU_DELTA
