"""Decide from a task's words whether it is only a question. The word lists are imported with the first text."""

MAX_CHARACTERS = 5_000  # some rules take time that grows with the square of the length


def is_question(text: str) -> bool:
    """Return whether a text asks for nothing to be made or changed."""
    if len(text) > MAX_CHARACTERS:
        return False
    from .question_sentences import only_asks

    return only_asks(text)
