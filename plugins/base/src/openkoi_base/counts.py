"""Format a number with its noun. Pure; imports nothing."""


def format_count(count: int, one: str, many: str = "") -> str:
    """Return a number with its noun: ``1 file``, ``1,200 files``; ``many`` is the plural, if it is not ``one`` + s."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
