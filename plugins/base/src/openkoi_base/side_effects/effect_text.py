"""Describe a plugin's side effects on the rest of the program."""

PRINTED = "printed"
HINT = ". Standard output is reserved for the result; to warn the user, call koi.warn(text)"


def describe_effects(plugin: str, hook: str, *effects: str) -> str:
    """Return the warning for users, with advice to warn instead of printing."""
    hint = HINT if any(effect.startswith(PRINTED) for effect in effects) else ""
    return f"Plugin {plugin!r} {', '.join(effects)} at {hook}{hint}"
