"""Recognize context overflow: errors about a prompt that is too long for the model's context window."""

import re

from openkoi_hookspecs.lazy_pattern import lazy_pattern

TOO_LONG = lazy_pattern(
    r"context_length_exceeded|context_window_exceeded|exceed_context_size"
    r"|maximum (?:context|prompt|model|input) (?:length|size|window)"
    r"|(?:prompt|inputs?|request|conversation|messages?) (?:is|are) too long"
    r"|exceed(?:s|ed|ing)? (?:the |this |your )?(?:model'?s? )?(?:available |maximum |max )?"
    r"(?:context|input|model token)(?: (?:size|length|window|limit))"
    r"|context (?:size|length|window|limit)(?: has been| was| is)? exceed"
    r"|longer than the (?:model'?s? |maximum )*(?:context|model|input)"
    r"|input token count\b.{0,40}\bexceeds"
    r"|prompt token count\b.{0,40}\bexceeds"
    r"|prompt contains \d+ tokens"
    r"|range of input length should be"
    r"|request too large for"
    r"|tokens must be reduced"
    r"|reduce (?:the length of|your) (?:the )?(?:messages?|prompt|input)"
    r"|context (?:the )?overflows|context length of only"
    r"|tokens \+ .?max_new_tokens.? must be",
    re.IGNORECASE,
)
AMBIGUOUS = lazy_pattern(
    r"too many (?:input |prompt )?tokens|too large for (?:the |this )?model|token limit exceeded", re.I
)
RATE_LIMIT = lazy_pattern(r"per (?:minute|min|hour|day|second)|rate.?limit|\b[TR]P[MD]\b|please wait", re.IGNORECASE)


def is_context_overflow(message: str, *, busy: bool = False) -> bool:
    """Return whether an error is about the prompt's length; ``busy`` marks rate limits, whose wording is similar."""
    return bool(TOO_LONG.search(message) or (not busy and AMBIGUOUS.search(message) and not RATE_LIMIT.search(message)))
