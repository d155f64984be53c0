"""Convert posts to emails, and send them over SMTP. Sending blocks, so it is called in a thread."""

import re
import smtplib
from email import policy
from email.message import EmailMessage
from email.utils import format_datetime, localtime
from hashlib import sha256
from secrets import token_hex
from urllib.parse import urlsplit

from openkoi_hookspecs import AppRejectedError, AppUnavailableError, SignInRequiredError
from openkoi_hookspecs.integrations import Post
from openkoi_http.authorities import load_authorities
from openkoi_http.server import is_loopback

from .mailbox import ANSWER_SECONDS, MAX_TEXT, SIGN_IN, Login, describe
from .reading import TOP

SUBJECT_LENGTH = 70
ADDRESS = re.compile(r"[!-?A-~]+@[!-?A-~]+")  # printable ASCII without spaces


def make_id(post: Post, own: str) -> str:
    """Return the id of an email, which is the same each time the post with this key is sent."""
    digest = sha256(f"{own} {post.key}".encode()).hexdigest()[:32] if post.key else token_hex(16)
    return f"{'koi.' if post.thread else TOP}{digest}@{own.rpartition('@')[2]}"


def make_mail(post: Post, own: str) -> EmailMessage:
    """Return a post as an email, with its Markdown both unchanged and as HTML."""
    if len(post.text) > MAX_TEXT:
        raise AppRejectedError(f"An email is limited to {MAX_TEXT:,} characters.")
    mail = EmailMessage(policy=policy.SMTP)
    mail["From"] = own
    mail["To"] = ", ".join(check_addresses(post.channel))
    mail["Subject"] = subject_of(post)
    mail["Date"] = format_datetime(localtime())
    mail["Message-ID"] = f"<{make_id(post, own)}>"
    mail["Auto-Submitted"] = "auto-replied" if post.thread else "auto-generated"  # RFC 3834: no robot answers it
    if post.thread:
        ids = list(dict.fromkeys([post.thread, post.reply_to or post.thread]))
        mail["In-Reply-To"] = f"<{ids[-1]}>"
        mail["References"] = " ".join(f"<{one}>" for one in ids)
    text = post.text.encode("utf-8", "replace").decode()  # without halves of letters
    mail.set_content(text, cte="quoted-printable")
    if post.format == "markdown":
        from openkoi_terminal.html import markdown_to_html

        mail.add_alternative(f"<html><body>{markdown_to_html(text)}</body></html>", subtype="html")
    for file in post.attachments:
        kind, _, subtype = file.media_type.partition("/")
        if kind not in ("text", "image", "audio", "video") or not subtype.isascii():
            kind, subtype = "application", "octet-stream"
        name = "".join(one if one.isprintable() else " " for one in file.name)
        mail.add_attachment(file.data, maintype=kind, subtype=subtype or "octet-stream", filename=name)
    return mail


def check_addresses(channel: str) -> list[str]:
    """Return the addresses in a channel; raise AppRejectedError for anything else."""
    found = [one.strip() for one in channel.split(",") if one.strip()]
    if not found or not all(map(ADDRESS.fullmatch, found)):
        raise AppRejectedError(f"{channel!r} is not an email address. Separate several addresses with commas.")
    return found


def subject_of(post: Post) -> str:
    """Return the subject of an email: that of the email it answers, else its first line."""
    first = next((line.strip("#*_> `") for line in post.text.splitlines() if line.strip("#*_> `")), "")
    subject = " ".join("".join(one if one.isprintable() else " " for one in post.subject or first).split())
    if post.subject and post.thread:
        return subject if subject[:3].lower() == "re:" else f"Re: {subject}"
    return subject if len(subject) <= SUBJECT_LENGTH else f"{subject[: SUBJECT_LENGTH - 4]} ..."


def submit(url: str, login: Login, mail: EmailMessage | None) -> None:
    """Send an email via the SMTP server; if none is given, only sign in."""
    parts, begun = urlsplit(url), False
    host = parts.hostname or ""
    try:
        with open_smtp(parts.scheme, host, parts.port) as smtp:
            sign_in(smtp, login)
            if begun := mail is not None:
                smtp.sendmail(str(mail["From"]), check_addresses(str(mail["To"])), mail.as_bytes())
    except smtplib.SMTPAuthenticationError as error:
        raise SignInRequiredError(SIGN_IN.format(login.user, describe(error.smtp_error))) from None
    except smtplib.SMTPRecipientsRefused as error:
        raise refusal(host, *next(iter(error.recipients.values()))) from None
    except smtplib.SMTPResponseException as error:
        raise refusal(host, error.smtp_code, error.smtp_error) from None
    except (smtplib.SMTPException, OSError) as error:
        raise AppUnavailableError(f"{host} could not be reached ({describe(error)}).", uncertain=begun) from None


def refusal(host: str, code: int, text: object) -> AppUnavailableError | AppRejectedError:
    """Return the error for an SMTP reply; codes that begin with 4 are temporary."""
    message = f"{host} rejected the email: {describe(text)} ({code})"
    return AppUnavailableError(message) if 400 <= code < 500 else AppRejectedError(message)


def open_smtp(scheme: str, host: str, port: int | None) -> smtplib.SMTP:
    """Connect to smtps://HOST, or to smtp://HOST, which must support STARTTLS unless it is on this machine."""
    if scheme == "smtps":
        return smtplib.SMTP_SSL(host, port or 465, timeout=ANSWER_SECONDS, context=load_authorities())
    smtp = smtplib.SMTP(host, port or 587, timeout=ANSWER_SECONDS)
    if not is_loopback(host):
        smtp.starttls(context=load_authorities())
    return smtp


def sign_in(smtp: smtplib.SMTP, login: Login) -> None:
    """Sign in to an SMTP server; a server that refuses a token explains why and expects an empty reply."""
    smtp.ehlo_or_helo_if_needed()
    if login.token:
        smtp.auth("XOAUTH2", lambda challenge=None: "" if challenge else login.xoauth2)
    else:
        smtp.login(login.user, login.password)
