"""Decide what a response is charged: the vendor's count if it is credible, never more than was reserved. Pure."""

from dataclasses import replace

from openkoi_hookspecs import Price, Usage
from openkoi_hookspecs.lazy_dataclass import dataclass

from .reservation import INPUT_MARGIN, Reservation
from .response_buffer import ResponseBuffer

MAX_COUNT = 10**12
MAX_TIMES_ESTIMATE = 4
"""How many times our estimate a vendor may count for what was read: the widest ratio that the estimator learns."""


@dataclass(frozen=True, slots=True)
class Charge:
    """What a vendor counted for an answer, and the part of it that is charged."""

    counted: Usage
    usage: Usage

    def describe_overrun(self, lease: Reservation, price: Price) -> str:
        """Explain why less is charged than was counted, or more will be reserved; empty for an expected count."""
        if over := lease.describe_excess(self.counted, price.cost(self.counted)):
            return over
        if self.counted == self.usage:
            return ""
        return f"counted {self.counted.output:,} tokens for an answer of about {self.usage.output:,}"


def charge(buffer: ResponseBuffer, estimate: int, lease: Reservation) -> Charge:
    """Return the charge for an answer; of an answer that was cut off, only the received part is known."""
    counted = Usage(input=estimate, output=buffer.tokens) if buffer.overlong else credible_usage(buffer, estimate)
    return Charge(counted, lease.cap_usage(cap_implausible_output(counted, buffer.tokens, lease)))


def credible_usage(buffer: ResponseBuffer, estimate: int) -> Usage:
    """Return the vendor's count, with our estimate for whatever is missing in it or impossible."""
    usage = buffer.done.usage if buffer.done else Usage()
    counts = (usage.input, usage.output, usage.cache_read, usage.cache_write)
    if not all(type(count) is int and 0 <= count <= MAX_COUNT for count in counts):
        return Usage(input=estimate, output=buffer.tokens)
    asked = usage.input or usage.cache_read or usage.cache_write
    if asked and usage.output:
        return usage
    return replace(usage, input=usage.input if asked else estimate, output=usage.output or buffer.tokens)


def cap_implausible_output(counted: Usage, read: int, lease: Reservation) -> Usage:
    """Replace a count of output tokens that neither the answer nor hidden reasoning explains with our estimate."""
    if counted.output <= max(lease.max_output * INPUT_MARGIN, read * MAX_TIMES_ESTIMATE):
        return counted
    return replace(counted, output=read)
