"""What time it is, as the log writes it."""

from datetime import UTC, datetime


def now() -> str:
    """UTC in ISO 8601, with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
