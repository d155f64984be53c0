"""Figures and texts as people read them in a line. Pure; knows numbers and words."""

from collections.abc import Sequence


def plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def format_list(parts: Sequence[str], most: int, separator: str = ", ") -> str:
    """The first parts of many, and how many more there are."""
    more = len(parts) - most
    return separator.join(parts[:most]) + (f" and {more} more" if more > 0 else "")


def truncate_line(text: str, most: int = 100) -> str:
    """One line of so many characters, without any that would move a terminal's cursor."""
    line = "".join(sign if sign.isprintable() else " " for sign in " ".join(text.split()))
    return line if len(line) <= most else line[: most - 1] + "…"


def first_line(text: str, most: int = 100) -> str:
    """The first line that says something, clipped."""
    return truncate_line(next((line for line in text.splitlines() if line.strip()), ""), most)


def tokens_text(count: int) -> str:
    """2.1k, 38k, 1.2M, -5."""
    if count < 0:
        return f"-{tokens_text(-count)}"
    if count < 1000:
        return str(count)
    unit, value = ("k", count / 1e3) if count < 999_500 else ("M", count / 1e6)
    return f"{value:.1f}{unit}" if value < 9.95 else f"{value:.0f}{unit}"


def dollars(usd: float) -> str:
    """$0.32; what is less than a cent and not nothing is said to be so."""
    if usd < 0:
        return f"-{dollars(-usd)}"
    return "<$0.01" if 0 < usd < 0.005 else f"${usd:.2f}"


def megabytes(size: int) -> str:
    """12MB, 340KB."""
    return f"{size / 1e6:.0f}MB" if size >= 1e6 else f"{max(0, round(size / 1e3))}KB"
