"""Take from a mail what its sender wrote; what it quotes or forwards, and its signature, is data."""

import re
from email.message import EmailMessage, MIMEPart

from openkoi_terminal.html_text import html_to_text

MAX_TEXT = 200_000  # characters of a mail that are read
QUOTE = re.compile(r"^ ?>")
SIGNATURE = re.compile(r"^-- ?$")
SEPARATOR = re.compile(
    r"^\s*(?:-{2,}\s*[^-\n]*(?:original|forwarded|urspr|weitergeleitet|transf|mensaje|messaggio)[^-\n]*-{2,}"
    r"|begin forwarded message:|anfang der weitergeleiteten[^\n]*:|_{20,})\s*$",
    re.IGNORECASE,
)
HEADER_LINE = re.compile(r"^\*?[^\W\d_][\w -]{0,19}:\*? \S")
ATTRIBUTION = re.compile(r"^(?=.*[\w>)\]]).{6,300}:\s*$", re.DOTALL)  # On Monday Ann wrote:
FORWARD = re.compile(r"^\s*(?:fwd?|wg|tr|rv|i|doorst)\s*:", re.IGNORECASE)


def read_text(mail: EmailMessage) -> tuple[str, str]:
    """Return what the sender wrote, and what the mail quotes."""
    part = mail.get_body(("plain", "html"))
    if part is None:
        return "", ""
    text = decode_part(part)
    text = html_to_text(text[: 5 * MAX_TEXT]) if part.get_content_subtype() == "html" else unflow(text, part)
    own, quoted = split_quoted(text.replace("\r\n", "\n").replace("\xa0", " ")[:MAX_TEXT])
    is_forward = FORWARD.match(str(mail.get("subject", "")))
    return ("", text.strip()) if is_forward and not quoted else (own, quoted)


def decode_part(part: MIMEPart) -> str:
    """Return the text of a part in whatever it is encoded; what cannot be decoded is marked."""
    data = part.get_payload(decode=True)
    data = data if isinstance(data, bytes) else b""
    try:
        return data.decode(part.get_content_charset("utf-8"), errors="replace")
    except LookupError:  # a charset that does not exist
        return data.decode("utf-8", errors="replace")


def unflow(text: str, part: MIMEPart) -> str:
    """Return a text without the line breaks that its program made (RFC 3676)."""
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    delete = str(part.get_param("delsp", "")).lower() == "yes"
    lines: list[str] = []
    joins, depth = False, 0
    for line in text.replace("\r\n", "\n").split("\n"):
        marks = len(line) - len(line.lstrip(">"))
        words = line[marks:].removeprefix(" ")
        flows = words.endswith(" ") and words != "-- "
        words = words[:-1] if flows and delete else words
        if joins and marks == depth and words != "-- ":
            lines[-1] += words
        else:
            lines.append(f"{'>' * marks} {words}" if marks else words)
        joins, depth = flows, marks
    return "\n".join(lines)


def split_quoted(text: str) -> tuple[str, str]:
    """Return what was written, and what is quoted, forwarded, or the signature."""
    own: list[str] = []
    quoted: list[str] = []
    lines = text.split("\n")
    for place, line in enumerate(lines):
        if SIGNATURE.match(line) or SEPARATOR.match(line) or begins_headers(lines, place):
            quoted += lines[place:]
            break
        if QUOTE.match(line):
            if not quoted or (own and not own[-1].strip()) or (own and ATTRIBUTION.match(own[-1])):
                quoted += take_attribution(own)
            quoted.append(line.lstrip(" ").lstrip(">").removeprefix(" "))
        else:
            own.append(line)
    return "\n".join(own).strip(), "\n".join(quoted).strip()


def take_attribution(own: list[str]) -> list[str]:
    """Remove the line, or the two, that say whose words follow; return them."""
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


def begins_headers(lines: list[str], place: int) -> bool:
    """Return whether the head of a forwarded mail begins at a line: three lines such as From: and Date:."""
    head = lines[place : place + 3]
    alone = place == 0 or not lines[place - 1].strip()
    return alone and len(head) == 3 and all(map(HEADER_LINE.match, head)) and "@" in "".join(lines[place : place + 4])
