"""Decide what an answer is charged: the vendor's count where it can be true, and never more than was reserved. Pure."""

from dataclasses import dataclass, replace

from openkoi_budget import INPUT_MARGIN, Lease, billed
from openkoi_hookspecs import Price, Usage

from .hearing import Heard

LARGEST = 10**12
PLAUSIBLE = 4
"""Times our estimate that a vendor may count for what was read: the widest ratio that the estimator learns, too."""


@dataclass(frozen=True, slots=True)
class Charge:
    """What a vendor counted for an answer, and the part of it that is charged."""

    counted: Usage
    usage: Usage

    def objection(self, lease: Lease, price: Price) -> str:
        """Why less is charged than was counted, or more will be reserved; empty when the count was as expected."""
        if over := lease.exceeded(self.counted, billed(self.counted, price)):
            return over
        if self.counted == self.usage:
            return ""
        return f"counted {self.counted.output:,} tokens for an answer of about {self.usage.output:,}"


def charge(heard: Heard, estimate: int, lease: Lease) -> Charge:
    """What an answer costs: of one that was cut off nothing is known but what was read."""
    counted = Usage(input=estimate, output=heard.tokens) if heard.overlong else believable(heard, estimate)
    return Charge(counted, lease.within(plausible(counted, heard.tokens, lease)))


def believable(heard: Heard, estimate: int) -> Usage:
    """The vendor's count, and our estimate of whatever in it is missing or cannot be."""
    usage = heard.done.usage if heard.done else Usage()
    counts = (usage.input, usage.output, usage.cache_read, usage.cache_write)
    if not all(type(count) is int and 0 <= count <= LARGEST for count in counts):
        return Usage(input=estimate, output=heard.tokens)
    asked = usage.input or usage.cache_read or usage.cache_write
    if asked and usage.output:
        return usage
    return replace(usage, input=usage.input if asked else estimate, output=usage.output or heard.tokens)


def plausible(counted: Usage, read: int, lease: Lease) -> Usage:
    """A count, with what was read in place of output tokens that can neither have been read nor thought in silence."""
    if counted.output <= max(lease.max_output * INPUT_MARGIN, read * PLAUSIBLE):
        return counted
    return replace(counted, output=read)
