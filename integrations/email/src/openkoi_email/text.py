"""Extract what the sender of an email wrote; quoted and forwarded text and the signature are data."""

import re
from email.message import EmailMessage, MIMEPart

from openkoi_base.quoted_text import split_quoted
from openkoi_terminal.html_text import html_to_text

from .mailbox import MAX_TEXT

SIGNATURE = re.compile(r"^-- ?$")
SEPARATOR = re.compile(
    r"^\s*(?:-{2,}\s*[^-\n]*(?:original|forwarded|urspr|weitergeleitet|transf|mensaje|messaggio)[^-\n]*-{2,}"
    r"|begin forwarded message:|anfang der weitergeleiteten[^\n]*:|_{20,})\s*$",
    re.IGNORECASE,
)
HEADER_LINE = re.compile(r"^\*?[^\W\d_][\w -]{0,19}:\*? \S")
FORWARD = re.compile(r"^\s*(?:fwd?|wg|tr|rv|i|doorst)\s*:", re.IGNORECASE)


def read_text(mail: EmailMessage) -> tuple[str, str]:
    """Return what the sender wrote, and what the email quotes."""
    part = mail.get_body(("plain", "html"))
    if part is None:
        return "", ""
    text = decode_part(part)
    text = html_to_text(text[: 5 * MAX_TEXT]) if part.get_content_subtype() == "html" else text
    own, quoted = split_mail(text.replace("\r\n", "\n").replace("\xa0", " ")[:MAX_TEXT])
    is_forward = FORWARD.match(str(mail.get("subject", "")))
    return ("", text.strip()) if is_forward and not quoted else (own, quoted)


def decode_part(part: MIMEPart) -> str:
    """Return the text of a part in any encoding; mark what cannot be decoded."""
    data = part.get_payload(decode=True)
    data = data if isinstance(data, bytes) else b""
    try:
        return data.decode(part.get_content_charset("utf-8"), errors="replace")
    except LookupError:  # a charset that does not exist
        return data.decode("utf-8", errors="replace")


def split_mail(text: str) -> tuple[str, str]:
    """Return what was written, and what is quoted, forwarded, or the signature."""
    lines = text.split("\n")
    ends = (n for n, line in enumerate(lines) if SIGNATURE.match(line) or SEPARATOR.match(line) or is_head(lines, n))
    end = next(ends, len(lines))
    own, quoted = split_quoted("\n".join(lines[:end]), attributed=True)
    return own, "\n".join([quoted, *lines[end:]]).strip()


def is_head(lines: list[str], place: int) -> bool:
    """Return whether the header of a forwarded email begins at a line: three lines such as From: and Date:."""
    head = lines[place : place + 3]
    alone = place == 0 or not lines[place - 1].strip()
    return alone and len(head) == 3 and all(map(HEADER_LINE.match, head)) and "@" in "".join(lines[place : place + 4])
