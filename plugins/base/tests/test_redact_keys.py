"""The whole of a private key is masked, however a tool shows its lines."""

import json
from base64 import b64encode
from collections.abc import Callable
from random import Random

import pytest

from openkoi_base.redact import Redactor

pytestmark = pytest.mark.unit

BODY = [b64encode(Random(n).randbytes(48)).decode() for n in range(12)] + ["q7Zk/w=="]
KEY = ["-----BEGIN RSA PRIVATE KEY-----", *BODY, "-----END RSA PRIVATE KEY-----"]
SHOWN: dict[str, Callable[[int, str], str]] = {
    "as it is": lambda n, line: line,
    "read_file": lambda n, line: f"{n}|{line}",
    "cat -n": lambda n, line: f"{n:6}\t{line}",
    "grep -n": lambda n, line: f"{n}:{line}",
    "grep -Hn": lambda n, line: f"keys/id_rsa:{n}:{line}",
    "diff": lambda n, line: f"+{line}",
    "quote": lambda n, line: f"> {line}",
    "comment": lambda n, line: f" * {line}",
    "box": lambda n, line: f"\u2502 {line} \u2502",
    "JavaScript": lambda n, line: f'  "{line}\\n" +',
    "Python, numbered": lambda n, line: f"{n}|    '{line}\\n'",
    "HTML": lambda n, line: f"{line}<br>",
    "JSON": lambda n, line: f'  "{line}",',
    "YAML": lambda n, line: f"    - {line}",
    "Windows": lambda n, line: f"{line}\r",
}


@pytest.mark.parametrize("depth", range(4))
@pytest.mark.parametrize("way", SHOWN)
def test_a_private_key_is_masked_as_a_whole(way: str, depth: int) -> None:
    text = "\n".join(SHOWN[way](n, line) for n, line in enumerate(KEY, 1)) + '\nthe end, "after" it'
    for _ in range(depth):
        text = json.dumps(text)[1:-1]

    masked = Redactor()(text)

    assert [] == [line for line in BODY if line in masked]
    assert masked.endswith(" it")
