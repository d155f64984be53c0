"""Divide a task's remaining tokens among its iterations; later ones get a little more."""


def share_tokens(left: float, iteration: int, iterations: int) -> float:
    """Return how many of the remaining tokens an iteration may use.

    ``iteration`` is counted from zero. Each weighs a tenth more than the one before it: ``1 + iteration / 10``.
    """
    weights = [1 + number / 10 for number in range(iteration, iterations)]
    return min(left, left * weights[0] / sum(weights)) if weights else 0.0
