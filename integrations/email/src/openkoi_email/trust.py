"""Verify who wrote an email, against spoofing: by the DMARC verdict of the user's own mail server only."""

import re
from email.message import EmailMessage

from openkoi_hookspecs.integrations import Sender, SenderKind

ADDRESS = r"[^\s<>@\",;:()\[\]\\]+@[^\s<>@\",;:()\[\]\\]+"
FROM = re.compile(rf"\s*(?:(?P<name>(?:\"[^\"\\]*\"|[^\"<>@,;:()\\])*?)\s*<(?P<in>{ADDRESS})>|(?P<bare>{ADDRESS}))\s*")
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
COMMENT = re.compile(r"\((?:[^()\\]|\\.)*\)")
DMARC = re.compile(r"\s*dmarc\s*=\s*(\w+)(.*)", re.IGNORECASE | re.DOTALL)
HEADER_FROM = re.compile(r"\bheader\.from\s*=\s*([^\s;]+)", re.IGNORECASE)
BULK = frozenset(["bulk", "list", "junk", "auto_reply"])
OF_LISTS = ("list-id", "list-post", "list-unsubscribe", "list-help", "list-owner", "list-archive", "list-subscribe")
OF_ROBOTS = ("x-autoreply", "x-autorespond", "x-auto-response-suppress", "x-loop", "x-failed-recipients")
ROBOTS = re.compile(r"(mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?)([-+.].*)?", re.IGNORECASE)
NO_ID = "none"  # of a server that does not name itself, such as that of Microsoft 365


def read_sender(mail: EmailMessage, own: str, server: str) -> Sender:
    """Return who wrote an email, authenticated if the user's own ``server`` says that it passes DMARC."""
    address, name = read_from(mail)
    if address == own:
        kind = SenderKind.SELF
    else:
        kind = SenderKind.BOT if not address or is_automatic(mail, address) else SenderKind.PERSON
    return Sender(address, name=name, kind=kind, authenticated=bool(address) and passes_dmarc(mail, address, server))


def read_from(mail: EmailMessage) -> tuple[str, str]:
    """Return the address and name of the author; empty unless there is exactly one, written plainly."""
    headers = raw_headers(mail, "from")
    found = FROM.fullmatch(headers[0]) if len(headers) == 1 else None
    if found is None:
        return "", ""
    addresses = getattr(mail["from"], "addresses", ())
    address = str(found["in"] or found["bare"]).lower()
    return address, str(addresses[0].display_name) if addresses else ""


def raw_headers(mail: EmailMessage, name: str) -> list[str]:
    """Return the values of a header as they are in the email, the first above the others, each on one line."""
    return [re.sub(r"\r?\n", "", str(value)) for key, value in mail.raw_items() if key.lower() == name]


def passes_dmarc(mail: EmailMessage, address: str, server: str) -> bool:
    """Return whether the user's own server says that this address's domain passes DMARC.

    Its header is the first of its kind; those below may be anyone's, and so may comments and quotations in it.
    """
    headers = raw_headers(mail, "authentication-results")
    if not (headers and server):
        return False
    first, *rest = strip_foreign_words(headers[0]).split(";")
    named = first.split()[0].lower() if first.split() else ""
    if server.lower() == NO_ID and "=" in first:
        rest = [first, *rest]
    elif named != server.lower():
        return False
    results = [found for part in rest if (found := DMARC.match(part))]
    domain = address.rpartition("@")[2]
    return bool(results) and all(found[1].lower() == "pass" and domain_of(found[2]) == domain for found in results)


def strip_foreign_words(text: str) -> str:
    """Return a header without quotations and comments; empty if one of them does not end."""
    text = QUOTED.sub(" ", text)
    while (shorter := COMMENT.sub(" ", text)) != text:
        text = shorter
    return "" if set(text) & set('()"\\') else text


def domain_of(result: str) -> str:
    """Return the domain that a result applies to; empty if it names none or several."""
    found = {one.lower().rpartition("@")[2] for one in HEADER_FROM.findall(result)}
    return found.pop() if len(found) == 1 else ""


def is_automatic(mail: EmailMessage, address: str) -> bool:
    """Return whether a program sent an email (autoresponder, mailing list, bounce); these are never answered."""
    if any(name in mail for name in (*OF_LISTS, *OF_ROBOTS)):
        return True
    submitted = str(mail.get("auto-submitted", "no")).split(";")[0].strip().lower()
    precedence = str(mail.get("precedence", "")).strip().lower()
    empty_path = any(value.strip() == "<>" for value in raw_headers(mail, "return-path"))
    is_robot = mail.get_content_type() == "multipart/report" or bool(ROBOTS.fullmatch(address.partition("@")[0]))
    return submitted != "no" or precedence in BULK or empty_path or is_robot
