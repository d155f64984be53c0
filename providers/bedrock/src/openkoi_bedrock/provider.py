"""Bedrock as a provider: list models and stream responses."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Annotated, Self
from urllib.parse import quote

from openkoi_hookspecs import Chunk, Env, Json, Model, NoProviderError, ProviderError, Request, WrongServerError
from openkoi_http import ApiClient, Cassette, ResponseLimits, is_replay

from .answer import ConverseResponseParser
from .credentials import AwsKeys, CredentialChain, Keyring
from .errors import explain_error
from .event_stream import EventStreamDecoder
from .media import MEDIA_TYPES
from .model_list import MODELS_PATH, PROFILES_PATH, BedrockDefaults, parse_models
from .output_schema import ANSWER_TOOL, needs_answer_tool
from .prompt_caching import Caching
from .request import ConverseRequestBuilder
from .signing import RequestSigner

REPLAY_REGION = "us-east-1"


class Bedrock:
    """A provider for AWS Bedrock, configured by ``[providers.bedrock]`` and the variables of the AWS tools.

    A bearer token takes precedence over keys, and keys over profiles and logins. The instance role is used only with
    ``instance_role``. ``context`` and ``output`` apply to all models, since the lists contain no limits. ``cache`` sets
    cache
    points; ``auto`` does so for models known to take them.
    """

    media_types = MEDIA_TYPES

    def __init__(
        self,
        *,
        api_key: Annotated[str, Env("AWS_BEARER_TOKEN_BEDROCK", secret=True)] = "",
        access_key_id: Annotated[str, Env("AWS_ACCESS_KEY_ID", secret=True)] = "",
        secret_access_key: Annotated[str, Env("AWS_SECRET_ACCESS_KEY", secret=True)] = "",
        session_token: Annotated[str, Env("AWS_SESSION_TOKEN", secret=True)] = "",
        instance_role: bool = False,
        region: Annotated[str, Env("AWS_REGION"), Env("AWS_DEFAULT_REGION")] = "",
        base_url: Annotated[str, Env("AWS_ENDPOINT_URL_BEDROCK_RUNTIME")] = "",
        control_url: Annotated[str, Env("AWS_ENDPOINT_URL_BEDROCK")] = "",
        cache: Caching = "auto",
        idle_seconds: float = 60.0,
        context: int = 128_000,
        output: int = 8_192,
        cassette: Cassette = "",
        transport: object | None = None,
    ) -> None:
        token = api_key.strip()
        keys = AwsKeys(access_key_id.strip(), secret_access_key.strip(), session_token.strip())
        region_name = region or (REPLAY_REGION if is_replay(cassette) else "")
        unsigned = bool(token) or is_replay(cassette)
        if not region_name and not (unsigned and base_url):
            raise NoProviderError("Bedrock needs a region. Set AWS_REGION, or region in [providers.bedrock].")
        self._signer = (
            None if unsigned else RequestSigner(choose_keyring(keys, instance_role=instance_role), region_name)
        )
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        bounds = ResponseLimits(idle_seconds=idle_seconds)

        def open_client(url: str) -> ApiClient:
            return ApiClient(
                url, headers=headers, bounds=bounds, sign=self._signer, cassette=cassette, transport=transport
            )

        self._client = open_client(base_url or f"https://bedrock-runtime.{region_name}.amazonaws.com")
        self._control = open_client(control_url or base_url or f"https://bedrock.{region_name}.amazonaws.com")
        self._request_builder = ConverseRequestBuilder(cache)
        self._defaults = BedrockDefaults(context, output)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.__aexit__()
        await self._control.__aexit__()

    async def models(self) -> Sequence[Model]:
        """List the models of the region; return none when the lists cannot be read, since chats may still work."""
        await self._prepare_signer()
        return parse_models(await self._fetch_list(MODELS_PATH), await self._fetch_list(PROFILES_PATH), self._defaults)

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Stream one response."""
        body = self._request_builder.build(request)
        await self._prepare_signer()
        answer, frames = (
            ConverseResponseParser(self._client.server, ANSWER_TOOL if needs_answer_tool(request) else ""),
            EventStreamDecoder(),
        )
        path = f"/model/{quote(request.model, safe='')}/converse-stream"
        try:
            async with aclosing(self._client.stream(path, body, answer, frames)) as chunks:
                async for chunk in chunks:
                    yield chunk
            ending = answer.finish(frames.waiting)
        except ProviderError as error:
            raise explain_error(error) from None
        for chunk in ending:
            yield chunk

    async def _prepare_signer(self) -> None:
        if self._signer is None:
            return
        await self._signer.ready()
        self._signer.hide_keys(self._client.server)
        self._signer.hide_keys(self._control.server)

    async def _fetch_list(self, path: str) -> Json:
        try:
            return await self._control.get(path)
        except WrongServerError:
            raise
        except ProviderError:
            return None


def choose_keyring(keys: AwsKeys, *, instance_role: bool) -> Keyring:
    """Return the source of keys; raise NoProviderError when one of the two keys is missing."""
    if bool(keys.access) is not bool(keys.secret):
        raise NoProviderError("Bedrock needs both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; only one is set.")
    return (lambda: keys) if keys.access else CredentialChain(instance_role=instance_role)
