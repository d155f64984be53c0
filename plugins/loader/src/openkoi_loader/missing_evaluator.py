"""Replace an evaluator that is missing or cannot be loaded by one that reports that in each evaluation."""

import sys
from collections.abc import Collection

from openkoi_hookspecs import Evaluation, ExecutionResult, Run
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

NAMED = lazy_pattern(r"judges?")


@dataclass(frozen=True, slots=True)
class Absent:
    """An evaluator that reports why it is missing, so that work that it might reject is not accepted."""

    reason: str
    judges: bool

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        """Return no score and no checks, and the reason."""
        return Evaluation(unavailable_reason=self.reason)


def is_absent_judge(name: str, thing: object, required: Collection[str]) -> bool:
    """Return whether an evaluator that cannot be loaded is a judge, by its declaration, its name, or being required."""
    by_name = not isinstance(thing, type) and (name in required or NAMED.search(name) is not None)
    return getattr(thing, "judges", by_name) is not False


def find_imported(target: str) -> object:
    """Return the object that an entry point names if its module is imported, else None."""
    module, _, attributes = target.partition(":")
    value: object = sys.modules.get(module)
    for attribute in attributes.split(".") if attributes else ():
        value = getattr(value, "__dict__", {}).get(attribute)
    return value
