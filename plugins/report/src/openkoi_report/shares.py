"""How a task's tokens are meant to last for all its iterations, later ones a little more than earlier ones. Pure."""


def share(left: float, iteration: int, iterations: int) -> float:
    """What of the tokens that are left this iteration may use, so that those after it have theirs.

    ``iteration`` is counted from zero. Each weighs a tenth more than the one before it: ``1 + iteration / 10``.
    """
    weights = [1 + number / 10 for number in range(iteration, iterations)]
    return min(left, left * weights[0] / sum(weights)) if weights else 0.0
