"""Call the API of an app's service: JSON, uploads and downloads. Failures are raised as errors of apps."""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from secrets import token_hex
from typing import NamedTuple
from urllib.parse import urlencode

from openkoi_hookspecs import (
    AppRejectedError,
    AppUnavailableError,
    Json,
    ProviderError,
    ProviderUnavailableError,
)

from .api_client import ApiClient
from .api_request import ApiRequest
from .idle_timeout import IdleTimeout
from .wrong_server import NO_FILE_MESSAGE, replaces_file


class FormFile(NamedTuple):
    """A file in a form."""

    field: str
    name: str
    media_type: str
    data: bytes


class FormBody(bytes):
    """A body that is a form, which begins with its own boundary."""

    @property
    def content_type(self) -> str:
        """Its media type, with the boundary."""
        boundary = self[2 : self.index(b"\r")].decode()
        return f"multipart/form-data; boundary={boundary}"


class RawBody(bytes):
    """A body of arbitrary bytes."""

    content_type = "application/octet-stream"


class FormFields(bytes):
    """A body that is a form without files."""

    content_type = "application/x-www-form-urlencoded"


class AppClient(ApiClient):
    """An ``ApiClient`` that raises AppError; ``explain`` may raise one for an error in the service's own format."""

    async def call(self, path: str, arguments: Mapping[str, Json], *, method: str = "POST") -> Json:
        """Send arguments as JSON; return the JSON response."""
        with translate_errors():
            return await self._request_json(method, path, json.dumps(arguments).encode())

    async def fetch(self, path: str) -> Json:
        """Get a JSON document."""
        with translate_errors():
            return await self.get(path)

    async def upload(self, path: str, fields: Mapping[str, Json], files: Sequence[FormFile]) -> Json:
        """Post a form with files; return the JSON response."""
        with translate_errors():
            return await self.post(path, encode_form(fields, files))

    async def upload_file(self, path: str, data: bytes) -> Json:
        """Post bytes unchanged; return the JSON response."""
        with translate_errors():
            return await self.post(path, RawBody(data))

    async def submit(self, path: str, fields: FormFields) -> Json:
        """Post a form without files; return the JSON response."""
        with translate_errors():
            return await self.post(path, fields)

    async def upload_bytes(self, path: str, data: bytes) -> None:
        """Post bytes as they are; ignore the response body."""
        with translate_errors(), self._translate_errors():
            async with (
                IdleTimeout(self._bounds.first_content_timeout) as idle_timeout,
                self._open_response(idle_timeout, "POST", path, RawBody(data)),
            ):
                pass

    async def download(self, path: str) -> AsyncGenerator[bytes, None]:
        """Yield the pieces of a file."""
        with translate_errors(), self._translate_errors():
            async with (
                IdleTimeout(self._bounds.first_content_timeout) as idle_timeout,
                self._open_response(idle_timeout, "GET", path) as response,
            ):
                if replaces_file(response.headers):
                    raise self.server.wrong_server(NO_FILE_MESSAGE)
                async for piece in self._read_pieces(response, is_file=True):
                    yield piece

    def _explain_status(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        from .errors import APP_MESSAGES, error_for_status

        return error_for_status(self.server, status, headers, body, messages=APP_MESSAGES)

    def _build_request(self, method: str, path: str, body: bytes | None) -> ApiRequest:
        request = super()._build_request(method, path, body)
        if isinstance(body, FormBody | RawBody | FormFields):
            return replace(request, content_type=body.content_type)
        return request


@contextmanager
def translate_errors() -> Iterator[None]:
    """Convert errors of providers to errors of apps."""
    try:
        yield
    except ProviderUnavailableError as error:
        raise AppUnavailableError(str(error), retry_after=error.retry_after, uncertain=error.uncertain) from None
    except ProviderError as error:
        raise AppRejectedError(str(error)) from None


def encode_form(fields: Mapping[str, Json], files: Sequence[FormFile]) -> FormBody:
    """Return a form; values that are not text become JSON."""
    boundary = token_hex(16)
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{as_text(value)}\r\n'.encode()
        for name, value in fields.items()
    ]
    for file in files:
        name = file.name.replace('"', "'").replace("\r", " ").replace("\n", " ")
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{file.field}"; filename="{name}"\r\n'
        parts.append(f"{head}Content-Type: {file.media_type}\r\n\r\n".encode() + file.data + b"\r\n")
    return FormBody(b"".join([*parts, f"--{boundary}--\r\n".encode()]))


def encode_fields(fields: Mapping[str, Json]) -> FormFields:
    """Return a form without files; values that are not text become JSON."""
    return FormFields(urlencode({name: as_text(value) for name, value in fields.items()}).encode())


def as_text(value: Json) -> str:
    """Return the value of a field."""
    return value if isinstance(value, str) else json.dumps(value)
