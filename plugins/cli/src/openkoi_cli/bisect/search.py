"""Find the fewest plugins that cause a bad result. Pure: the caller replays the task and reports its result.

The search is binary: it looks for the first plugin, in their order, with which the plugins before it give a bad result.
If that plugin alone does not give one, it looks for a second plugin that does so together with it.
"""

from collections.abc import Callable, Generator
from dataclasses import field
from enum import Enum, auto

from openkoi_hookspecs.lazy_dataclass import dataclass

Plugins = frozenset[int]
NONE: Plugins = frozenset()
WITHOUT_ANY = "the result is bad even without any of these plugins"
SKIPPED = "a replay that is needed to decide could not be judged"
MORE = "it takes more than two plugins to cause the bad result"
VARIES = "the same plugins gave different results in two replays"


class Outcome(Enum):
    """The outcome of a replay with some of the plugins."""

    GOOD = auto()
    BAD = auto()
    SKIPPED = auto()


@dataclass(frozen=True, slots=True)
class Cause:
    """The plugins that together give the bad result. ``undecided`` is why none are proven."""

    plugins: tuple[int, ...] = ()
    undecided: str = ""


Search = Generator[Plugins, Outcome, Cause]
Step = Generator[Plugins, Outcome, Outcome]


class SkippedError(Exception):
    """A replay could not be judged."""


def never() -> bool:
    """Return False: replays give the same result each time."""
    return False


@dataclass(slots=True)
class Bisection:
    """A search among ``count`` plugins, all of which together gave a bad result.

    ``may_vary`` says whether a replay with the same plugins may have another result: then a cause is proven twice.
    """

    count: int
    may_vary: Callable[[], bool] = never
    known: dict[Plugins, Outcome] = field(default_factory=dict)

    def search(self) -> Search:
        """Yield each set of plugins to replay with, and receive the outcome; return the cause."""
        self.known[frozenset(range(self.count))] = Outcome.BAD
        try:
            cause = yield from self.find_cause()
            return (yield from self.prove_again(cause)) if cause.plugins and self.may_vary() else cause
        except SkippedError:
            return Cause(undecided=SKIPPED)

    def find_cause(self) -> Search:
        """Return the plugin, or the pair of plugins, that is the cause."""
        first = yield from self.find_first(self.count, NONE)
        before = Outcome.GOOD if first else (yield from self.outcome(NONE))
        if before is Outcome.BAD:
            return Cause(undecided=WITHOUT_ANY)
        if (yield from self.outcome(frozenset({first}))) is Outcome.BAD:
            return Cause((first,))
        second = yield from self.find_first(first, frozenset({first}))
        pair = (second, first)
        is_bad = (yield from self.outcome(frozenset(pair))) is Outcome.BAD
        return Cause(pair, "" if is_bad else MORE)

    def find_first(self, limit: int, always: Plugins) -> Generator[Plugins, Outcome, int]:
        """Return the first plugin that gives a bad result together with those before it and those ``always`` used.

        The first ``limit`` plugins together are known to give one.
        """
        good, bad = 0, limit
        while bad - good > 1:
            middle = (good + bad) // 2
            if (yield from self.outcome(frozenset(range(middle)) | always)) is Outcome.BAD:
                bad = middle
            else:
                good = middle
        return bad - 1

    def outcome(self, plugins: Plugins) -> Step:
        """Return the outcome of a replay with these plugins; no set is replayed twice."""
        if plugins not in self.known:
            self.known[plugins] = yield plugins
        if self.known[plugins] is Outcome.SKIPPED:
            raise SkippedError
        return self.known[plugins]

    def prove_again(self, cause: Cause) -> Search:
        """Return the cause if it gives a bad result again by itself, and the result is good without it."""
        alone = yield frozenset(cause.plugins)
        without = yield frozenset(range(self.count)) - frozenset(cause.plugins)
        proven = alone is Outcome.BAD and without is Outcome.GOOD
        return cause if proven else Cause(cause.plugins, cause.undecided or VARIES)


def max_replays(count: int) -> int:
    """Return how many replays it takes to find one plugin among ``count``."""
    return max(1, (count - 1).bit_length() + 1)
