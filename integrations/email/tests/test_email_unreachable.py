"""Test the errors for mail servers that cannot be reached."""

import socket

import pytest

from openkoi_email.mailbox import Login, Mailbox
from openkoi_email.writing import submit
from openkoi_hookspecs import AppUnavailableError


def test_a_refused_connection_is_reported_in_words() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        mailbox = Mailbox(f"imap://127.0.0.1:{unused.getsockname()[1]}", Login("koi@example.org", "secret"))

        with pytest.raises(AppUnavailableError) as unread:
            mailbox.run(mailbox.open)
        with pytest.raises(AppUnavailableError) as unsent:
            submit(mailbox.url.replace("imap:", "smtp:"), Login("koi@example.org", "secret"), None)

    assert ["127.0.0.1 could not be reached (Connection refused)."] * 2 == [str(unread.value), str(unsent.value)]
