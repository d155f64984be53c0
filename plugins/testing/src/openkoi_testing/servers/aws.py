"""Implement what every AWS service shares: event-stream frames with checksums, and signature checks."""

from collections.abc import Mapping
from struct import pack
from typing import NamedTuple
from zlib import crc32

from .http_server import ReceivedRequest
from .json_body import to_json

STREAM = "application/vnd.amazon.eventstream"
STRING_TYPE = 7


class KeyPair(NamedTuple):
    """The keys that a server accepts."""

    access: str
    secret: str


def event_frame(kind: str, payload: Mapping[str, object]) -> bytes:
    """Return the frame of an event of a stream."""
    return build_frame(
        {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}, to_json(payload)
    )


def exception_frame(kind: str, message: str) -> bytes:
    """Return the frame of an exception that ends a stream."""
    headers = {":exception-type": kind, ":content-type": "application/json", ":message-type": "exception"}
    return build_frame(headers, to_json({"message": message}))


def error_frame(code: str, message: str) -> bytes:
    """Return the frame of an error that no operation has declared."""
    return build_frame({":message-type": "error", ":error-code": code, ":error-message": message}, b"")


def build_frame(headers: Mapping[str, str], payload: bytes) -> bytes:
    """Return the frame of a message: lengths, their checksum, headers, payload, and the checksum of it all."""
    head = b"".join(string_header(name, value) for name, value in headers.items())
    lengths = pack(">II", 16 + len(head) + len(payload), len(head))
    message = lengths + pack(">I", crc32(lengths)) + head + payload
    return message + pack(">I", crc32(message))


def string_header(name: str, value: str) -> bytes:
    """Return a header whose value is a string."""
    key, text = name.encode(), value.encode()
    return pack(">B", len(key)) + key + pack(">BH", STRING_TYPE, len(text)) + text


def is_signed_by(seen: ReceivedRequest, pair: KeyPair, service: str) -> bool:
    """Return whether a request has the signature that these keys would have made of it, as it arrived."""
    named = parse_authorization(seen.headers.get("authorization", ""))
    access, _, scope = named.get("Credential", "").partition("/")
    if access != pair.access or scope.split("/")[2:] != [service, "aws4_request"]:
        return False
    names = named.get("SignedHeaders", "").split(";")
    if not {"host", "x-amz-date"} <= {*names} or not {*names} <= {*seen.headers}:
        return False
    region = scope.split("/")[1]
    return named.get("Signature") == compute_signature(
        seen, pair, (region, service), {n: seen.headers[n] for n in names}
    )


def parse_authorization(value: str) -> Mapping[str, str]:
    """Parse the header that contains a signature; empty when it is another one."""
    algorithm, _, rest = value.partition(" ")
    if algorithm != "AWS4-HMAC-SHA256":
        return {}
    return dict(part.strip().partition("=")[::2] for part in rest.split(","))


def compute_signature(seen: ReceivedRequest, pair: KeyPair, scope: tuple[str, str], headers: Mapping[str, str]) -> str:
    """Sign a request again, as the vendor's own library does."""
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
