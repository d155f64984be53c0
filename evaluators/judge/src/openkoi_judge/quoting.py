"""Quote untrusted text, so that it is read as data.

A quotation's marker is derived from the content and never occurs in it, so that the content cannot close the quotation.
Equal content gets the same marker, so that the prompt stays cacheable.
"""

from collections.abc import Sequence
from hashlib import sha256
from itertools import count


def replace_surrogates(text: str) -> str:
    """Replace what UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode("utf-8")


def make_marker(contents: Sequence[str]) -> str:
    """Return a marker that occurs in none of the contents, ignoring case."""
    whole = replace_surrogates("\n".join(contents)).casefold()
    digests = (sha256(f"{number}\n{whole}".encode()).hexdigest()[:12] for number in count())
    return next(digest for digest in digests if digest not in whole)


def quote_content(name: str, content: str, mark: str) -> str:
    """Return a content between two lines with its name and the marker."""
    return f"BEGIN {name} {mark}\n{replace_surrogates(content)}\nEND {name} {mark}"


def abridge(text: str, room: int, about: str = "") -> str:
    """Return the start and end of a text that is too long, with a note about the omission in between."""
    if len(text) <= room:
        return text
    head, tail = text[: room * 2 // 3], text[len(text) - room // 3 :]
    head = head[: head.rfind("\n") + 1] or head
    tail = tail[tail.find("\n") + 1 :] or tail
    left = len(text) - len(head) - len(tail)
    return f"{head.rstrip()}\n[... {left} of {len(text)} characters omitted. {about}]\n{tail}"
