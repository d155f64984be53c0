"""Convert emails to posts."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser
from email.policy import EmailPolicy
from email.utils import getaddresses
from hashlib import sha256

from openkoi_hookspecs.integrations import Attachment, Post

from .mailbox import Mail
from .text import FORWARD, read_text
from .trust import raw_headers, read_sender

ID = re.compile(r"<([^<>\s]+)>")
HEAD = re.compile(rb"(?:(?:[!-9;-~]+:|[ \t]).*\n)*\n")
TOP = "koi-top."  # how the ids of our mails begin that began no thread: an answer to one is in no thread either
PARSE_ERRORS = (ValueError, LookupError, TypeError, AttributeError)  # of Python's parser, for what attackers make
MAX_HEADER = 4_096  # characters of one header: Python takes minutes for some that are longer


class ShortHeaders(EmailPolicy):
    """Reads the beginning of each header."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """Return the name and the value of a header."""
        name, value = super().header_source_parse(sourcelines)
        return name, value[:MAX_HEADER]


def parse_mail(data: bytes) -> EmailMessage:
    """Return an email; raises RecursionError or one of PARSE_ERRORS for some, such as a thousand nested emails."""
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b" ")  # which ends a line for Python, and for no mail server
    found = BytesParser(EmailMessage, policy=ShortHeaders()).parsebytes(data)
    if not HEAD.match(data):  # Python may read another author than the one that the server checked
        del found["from"]
    return found if isinstance(found, EmailMessage) else EmailMessage()  # as the policy has it, which types do not say


def read_mail(mail: Mail, own: str, server: str) -> Post:
    """Return an email as a post; for one that Python cannot parse, only its place in the folder."""
    try:
        return read_message(parse_mail(mail.data), mail.place, own, server)
    except (*PARSE_ERRORS, RecursionError):
        return read_message(EmailMessage(), mail.place, own, server)


def read_message(message: EmailMessage, place: str, own: str, server: str) -> Post:
    """Return an email as a post; its channel is all its addresses except this account's."""
    sender = read_sender(message, own, server)
    everyone = {sender.id, *addresses_of(message, "to"), *addresses_of(message, "cc")} - {own, ""}
    text, quoted = read_text(message)
    root, direct = root_of(message), len(everyone) <= 1
    id = last_id(message, "message-id") or sha256(message.as_bytes()).hexdigest()[:32]  # or by what it contains
    subject = " ".join(str(message.get("subject", "")).split())
    text = text or (subject if not (root or quoted or FORWARD.match(subject)) else "")
    return Post(
        text,
        app="email",
        account=own,
        channel=",".join(sorted(everyone)),
        id=id,
        thread=root if root or not direct else id,
        reply_to=last_id(message, "in-reply-to"),
        sender=sender,
        at=sent_at(message),
        subject=subject,
        quoted=quoted,
        direct=direct,
        mentioned=[own] == addresses_of(message, "to") or f"@{own.partition('@')[0]}" in text.lower() or own in text,
        attachments=tuple(read_files(message, place)),
    )


def last_id(message: EmailMessage, header: str) -> str:
    """Return the last id in a header."""
    found = ID.findall(" ".join(raw_headers(message, header)))
    return found[-1] if found else ""


def root_of(message: EmailMessage) -> str:
    """Return the id of a thread's first email; empty if it is that email, or has no thread."""
    found = ID.findall(" ".join([*raw_headers(message, "references"), *raw_headers(message, "in-reply-to")]))
    return found[0] if found and not found[0].startswith(TOP) else ""


def addresses_of(message: EmailMessage, header: str) -> list[str]:
    """Return the addresses in a header."""
    pairs = getaddresses(raw_headers(message, header))
    return [address.lower() for _, address in pairs if "@" in address and "," not in address]


def sent_at(message: EmailMessage) -> str:
    """Return when an email was sent."""
    date = getattr(message["date"], "datetime", None)
    found = date if isinstance(date, datetime) else datetime.now(UTC)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC).isoformat()


def parts_of(message: EmailMessage) -> list[MIMEPart]:
    """Return the parts of an email that are files, including forwarded emails."""
    bodies = (message.get_body(("plain", "html")), message.get_body(("html",)))
    return [one for one in walk(message) if one not in bodies]


def walk(part: MIMEPart) -> Iterator[MIMEPart]:
    """Yield the innermost parts; an attached email is not divided."""
    if part.get_content_maintype() == "multipart":
        for one in part.iter_parts():
            yield from walk(one)
    else:
        yield part


def read_files(message: EmailMessage, place: str) -> Iterator[Attachment]:
    """Yield the files of an email."""
    for number, part in enumerate(parts_of(message)):
        name = part.get_filename() or f"part-{number + 1}"
        media_type, size = part.get_content_type(), len(part_data(part))
        yield Attachment(name, media_type=media_type, size=size, ref=f"{place}:{number}")


def file_in(mail: Mail, number: int) -> bytes | None:
    """Return the content of an attached file; None if there is no such file."""
    parts = parts_of(parse_mail(mail.data))
    return part_data(parts[number]) if number < len(parts) else None


def part_data(part: MIMEPart) -> bytes:
    """Return the content of a part."""
    if part.get_content_maintype() == "message":
        return b"".join(one.as_bytes() for one in part.iter_parts())
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""
