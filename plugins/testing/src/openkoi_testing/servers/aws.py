"""What every service of AWS does alike: event-stream frames with their checksums, and signatures that are checked.

Knows bytes and keys; knows no service's operations.
"""

import json
from collections.abc import Mapping
from struct import pack
from typing import NamedTuple
from zlib import crc32

from .http import Seen

STREAM = "application/vnd.amazon.eventstream"
STRING = 7


class KeyPair(NamedTuple):
    """The keys a server knows."""

    access: str
    secret: str


def event(kind: str, payload: Mapping[str, object]) -> bytes:
    """Frame an event of a stream."""
    return frame({":event-type": kind, ":content-type": "application/json", ":message-type": "event"}, written(payload))


def exception(kind: str, message: str) -> bytes:
    """Frame an exception that ends a stream."""
    headers = {":exception-type": kind, ":content-type": "application/json", ":message-type": "exception"}
    return frame(headers, written({"message": message}))


def failed(code: str, message: str) -> bytes:
    """Frame an error that no operation has declared."""
    return frame({":message-type": "error", ":error-code": code, ":error-message": message}, b"")


def frame(headers: Mapping[str, str], payload: bytes) -> bytes:
    """Frame a message: lengths, their checksum, headers, payload, and the checksum of it all."""
    head = b"".join(header(name, value) for name, value in headers.items())
    lengths = pack(">II", 16 + len(head) + len(payload), len(head))
    message = lengths + pack(">I", crc32(lengths)) + head + payload
    return message + pack(">I", crc32(message))


def header(name: str, value: str) -> bytes:
    """Write a header whose value is a string."""
    key, text = name.encode(), value.encode()
    return pack(">B", len(key)) + key + pack(">BH", STRING, len(text)) + text


def written(value: Mapping[str, object]) -> bytes:
    """Write JSON, characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def signed_by(seen: Seen, pair: KeyPair, service: str) -> bool:
    """Tell whether a request bears the signature that these keys would have made of it, as it arrived."""
    named = authorisation(seen.headers.get("authorization", ""))
    access, _, scope = named.get("Credential", "").partition("/")
    if access != pair.access or scope.split("/")[2:] != [service, "aws4_request"]:
        return False
    names = named.get("SignedHeaders", "").split(";")
    if not {"host", "x-amz-date"} <= {*names} or not {*names} <= {*seen.headers}:
        return False
    region = scope.split("/")[1]
    return named.get("Signature") == signature(seen, pair, (region, service), {n: seen.headers[n] for n in names})


def authorisation(value: str) -> Mapping[str, str]:
    """Read the header that carries a signature; empty when it is another one."""
    algorithm, _, rest = value.partition(" ")
    if algorithm != "AWS4-HMAC-SHA256":
        return {}
    return dict(part.strip().partition("=")[::2] for part in rest.split(","))


def signature(seen: Seen, pair: KeyPair, scope: tuple[str, str], headers: Mapping[str, str]) -> str:
    """Sign a request again, as the vendor's own library does it."""
    from botocore.auth import SigV4Auth  # type: ignore[import-untyped]  # botocore carries no types
    from botocore.awsrequest import AWSRequest  # type: ignore[import-untyped]  # botocore carries no types
    from botocore.credentials import Credentials  # type: ignore[import-untyped]  # botocore carries no types

    region, service = scope
    url = f"http://{seen.headers['host']}{seen.path}"
    request = AWSRequest(seen.method, url, data=seen.body, headers=dict(headers))
    request.context["timestamp"] = headers["x-amz-date"]
    signer = SigV4Auth(Credentials(*pair), service, region)
    found: str = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    return found
