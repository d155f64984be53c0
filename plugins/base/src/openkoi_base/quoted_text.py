"""Separate a user's own words from quoted ones, in emails and chats."""

import re

QUOTE = re.compile(r"^ ?>")
FENCE = re.compile(r"^ {0,3}```")
ATTRIBUTION = re.compile(r"^(?=.*[\w>)\]]).{6,300}:\s*$", re.DOTALL)  # On Monday Ann wrote:


def split_quoted(text: str, *, attributed: bool = False) -> tuple[str, str]:
    """Return the user's own words, and the quoted lines.

    If ``attributed``, as in mails, the line above them that says whose they are is among them.
    """
    own: list[str] = []
    quoted: list[str] = []
    lines = text.split("\n")
    code = find_code(lines)
    for place, line in enumerate(lines):
        if place in code or not QUOTE.match(line):
            own.append(line)
            continue
        if attributed and (not quoted or (own and (not own[-1].strip() or ATTRIBUTION.match(own[-1])))):
            quoted += take_attribution(own)
        quoted.append(line.lstrip(" ").lstrip(">").removeprefix(" "))
    return "\n".join(own).strip(), "\n".join(quoted).strip()


def find_code(lines: list[str]) -> set[int]:
    """Return the indexes of the lines in code blocks; an unclosed block does not count, so that it hides no quote."""
    fences = [place for place, line in enumerate(lines) if FENCE.match(line)]
    return {place for begin, end in zip(fences[::2], fences[1::2], strict=False) for place in range(begin, end)}


def take_attribution(own: list[str]) -> list[str]:
    """Remove and return the one or two lines that introduce a quote."""
    end = len(own)
    while end and not own[end - 1].strip():
        end -= 1
    for count in (1, 2):
        taken = own[max(0, end - count) : end]
        before = own[end - count - 1 : end - count]
        if len(taken) == count and ATTRIBUTION.match(" ".join(taken)) and not "".join(before).strip():
            del own[end - count :]
            return taken
    return []
