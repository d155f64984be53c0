"""Share a bill among friends."""


def shares(total: int, people: int) -> list[int]:
    """Split a total so that the parts add up to it, and differ by one cent at most.

    Whoever is named first pays the odd cents.
    """
    if people < 1:
        raise ValueError("Somebody has to pay.")
    return [total // people] * people
