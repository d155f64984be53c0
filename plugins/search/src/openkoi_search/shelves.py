"""On which shelf something stands: a project's own, or everyone's; and what the pieces of transcripts are called."""

EVERYONE = "everyone"
TRANSCRIPT = "transcript"


def shelf_of(project: str) -> str:
    """Name a project's shelf."""
    return f"project:{project}"
