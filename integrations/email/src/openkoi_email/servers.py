"""Find the mail servers of a domain: from a list for well-known domains, else by their usual names."""

from typing import NamedTuple

DEVICE = "https://login.microsoftonline.com/common/oauth2/v2.0"
OUTLOOK = "https://outlook.office.com"


class Servers(NamedTuple):
    """Where mail is read and sent, who checks it, and where OAuth signs in."""

    imap: str
    smtp: str
    checked_by: str = ""
    token_url: str = ""
    device_url: str = ""
    scope: str = ""


GOOGLE = Servers(
    "imaps://imap.gmail.com", "smtps://smtp.gmail.com", "mx.google.com", "https://oauth2.googleapis.com/token"
)
MICROSOFT = Servers(
    "imaps://outlook.office365.com",
    "smtp://smtp.office365.com:587",
    "none",
    f"{DEVICE}/token",
    f"{DEVICE}/devicecode",
    f"offline_access {OUTLOOK}/IMAP.AccessAsUser.All {OUTLOOK}/SMTP.Send",
)
KNOWN = {
    "gmail.com": GOOGLE,
    "googlemail.com": GOOGLE,
    "outlook.com": MICROSOFT,
    "hotmail.com": MICROSOFT,
    "live.com": MICROSOFT,
    "icloud.com": Servers("imaps://imap.mail.me.com", "smtp://smtp.mail.me.com:587"),
    "yahoo.com": Servers("imaps://imap.mail.yahoo.com", "smtps://smtp.mail.yahoo.com"),
    "gmx.net": Servers("imaps://imap.gmx.net", "smtps://mail.gmx.net"),
}


def servers_of(address: str) -> Servers:
    """Return the servers of an address."""
    domain = address.rpartition("@")[2].lower()
    return KNOWN.get(domain) or Servers(f"imaps://imap.{domain}", f"smtps://smtp.{domain}")
