"""Vectors of a response that embeds texts."""

import math

from openkoi_hookspecs import Json

MAX_COMPONENT = 1e100  # so that a vector's length is a number


def normalize(values: Json) -> list[float]:
    """Scale a vector to length one; return an empty one when that is impossible."""
    if not isinstance(values, list):
        return []
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) < len(values) or not all(abs(number) < MAX_COMPONENT for number in numbers):
        return []
    length = math.hypot(*numbers)
    return [number / length for number in numbers] if length else []
