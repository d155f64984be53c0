"""Quote what a stranger wrote, so that it is read as data. Knows text only.

The mark of a fence is made from the content and never occurs in it, so nothing inside can close the fence; the same
content always gets the same mark, so that a prompt stays as it was and its beginning can be cached.
"""

from collections.abc import Sequence
from hashlib import sha256
from itertools import count


def storable(text: str) -> str:
    """Replace what cannot be written as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def mark(contents: Sequence[str]) -> str:
    """Find a mark that occurs in none of the contents, in whatever case."""
    whole = storable("\n".join(contents)).casefold()
    digests = (sha256(f"{number}\n{whole}".encode()).hexdigest()[:12] for number in count())
    return next(digest for digest in digests if digest not in whole)


def fenced(name: str, content: str, mark: str) -> str:
    """Put a content between two lines that bear its name and the mark."""
    return f"BEGIN {name} {mark}\n{storable(content)}\nEND {name} {mark}"


def shortened(text: str, room: int, about: str = "") -> str:
    """Keep the beginning and the end of a text that is too long, whole lines where possible, and say so in between."""
    if len(text) <= room:
        return text
    head, tail = text[: room * 2 // 3], text[len(text) - room // 3 :]
    head = head[: head.rfind("\n") + 1] or head
    tail = tail[tail.find("\n") + 1 :] or tail
    left = len(text) - len(head) - len(tail)
    return f"{head.rstrip()}\n[... {left} of {len(text)} characters are left out here. {about}]\n{tail}"
