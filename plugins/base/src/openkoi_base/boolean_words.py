"""Parse the words that mean true or false, in settings and in the metadata of skills."""

BOOLEANS = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(("0", "false", "no", "off"), False)


def parse_boolean(text: str) -> bool | None:
    """Parse a boolean word, ignoring case and surrounding space; return None if it is neither true nor false."""
    return BOOLEANS.get(text.strip().casefold())
