"""List the formats of vendors' API keys that gitleaks does not have, or has in a narrower form.

``vendors.table`` has them as the vendors document them: a name, keywords in small letters, and the expression after
START.
"""

from pathlib import Path

TABLE = Path(__file__).with_name("vendors.table")


def read_formats(text: str) -> dict[str, tuple[str, str]]:
    """Return the keywords and the expression of each format."""
    rows = (block.split("\n") for block in text.strip().split("\n\n"))
    return {name: (keywords, expression) for name, keywords, expression in rows}


PREFIXES = read_formats(TABLE.read_text(encoding="utf-8"))
