"""Name the scope of a memory item: one project, or everyone; and the kind of transcript chunks."""

EVERYONE = "everyone"
TRANSCRIPT = "transcript"


def scope_of(project: str) -> str:
    """Return the scope of a project."""
    return f"project:{project}"
