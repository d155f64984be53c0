"""File each mail before it is sent, so that none is sent twice: with the flag of a draft until the server took it."""

from enum import StrEnum

from openkoi_hookspecs import AppRejectedError

from .mailbox import Mailbox, quote


class Filed(StrEnum):
    """What is known of a mail: it is new, it was sent, or a process was killed while it sent it."""

    NEW = "new"
    SENT = "sent"
    UNSURE = "unsure"


def begin_sending(mailbox: Mailbox, id: str, mail: bytes) -> Filed:
    """File a mail as a draft among the sent ones, unless it is there."""
    folder = mailbox.find_folder(b"\\Sent", "Sent")
    there = find_sent(mailbox, folder, id)
    if there:
        drafts = set(mailbox.search("DRAFT"))
        return Filed.UNSURE if drafts.issuperset(there) else Filed.SENT
    mailbox.append(folder, mail, "(\\Draft \\Seen)")
    return Filed.NEW


def end_sending(mailbox: Mailbox, id: str) -> None:
    """Note that a mail was sent."""
    for uid in find_sent(mailbox, mailbox.find_folder(b"\\Sent", "Sent"), id):
        mailbox.expect(mailbox.connection.uid("STORE", str(uid), "-FLAGS", "(\\Draft)"))


def find_sent(mailbox: Mailbox, folder: str, id: str) -> list[int]:
    """Return the numbers of the sent mails with an id; a folder that does not exist has none."""
    try:
        mailbox.select(folder)
    except AppRejectedError:
        return []
    return mailbox.search("HEADER", "Message-ID", quote(id))
