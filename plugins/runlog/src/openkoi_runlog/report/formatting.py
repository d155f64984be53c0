"""Format counts, sizes, dollars and texts for one line of output."""

from collections.abc import Iterator, Sequence


def truncate_line(text: str, most: int = 100) -> str:
    """Return the text as one line of limited length, without control characters."""
    line = "".join(sign if sign.isprintable() else " " for sign in " ".join(text.split()))
    return line if len(line) <= most else line[: most - 1] + "…"


def first_line(text: str, most: int = 100) -> str:
    """Return the first line that is not blank, truncated."""
    return truncate_line(next((line for line in text.splitlines() if line.strip()), ""), most)


def format_tokens(count: int) -> str:
    """Format a token count: 2.1k, 38k, 1.2M, -5."""
    if count < 0:
        return f"-{format_tokens(-count)}"
    if count < 1000:
        return str(count)
    unit, value = ("k", count / 1e3) if count < 999_500 else ("M", count / 1e6)
    return f"{value:.1f}{unit}" if value < 9.95 else f"{value:.0f}{unit}"


def format_dollars(usd: float) -> str:
    """Format US dollars: $0.32, or <$0.01 for less than half a cent."""
    if usd < 0:
        return f"-{format_dollars(-usd)}"
    return "<$0.01" if 0 < usd < 0.005 else f"${usd:.2f}"


def format_size(size: int) -> str:
    """Format a size in bytes: 12MB, 340KB."""
    return f"{size / 1e6:.0f}MB" if size >= 1e6 else f"{max(0, round(size / 1e3))}KB"


def format_held_out(held_out: Sequence[str]) -> Iterator[str]:
    """Yield what the run was not shown to measure whether it helps."""
    if held_out:
        yield f"  not shown, to measure whether it helps: {truncate_line('; '.join(held_out), 160)}"
