"""Test the meaning of refusals, and that secrets are never repeated in errors."""

import asyncio
import json
from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest

from openkoi_hookspecs import (
    AppError,
    ConfigError,
    Json,
    ProviderError,
    ProviderUnavailableError,
    RequestRejectedError,
)
from openkoi_http import ApiClient, AppClient

KEY = "opaque-0123456789"
Answer = Callable[[httpx2.Request], httpx2.Response]


def get(answer: Answer, base_url: str = "https://models.example/v1") -> Json:
    async def ask() -> Json:
        headers = {"Authorization": f"Bearer {KEY}"}
        async with ApiClient(base_url, headers=headers, transport=httpx2.MockTransport(answer)) as wire:
            return await wire.get("/models")

    return asyncio.run(ask())


def error(status: int, body: str | bytes = "", **headers: str) -> ProviderError:
    """The error for an answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with pytest.raises(ProviderError) as caught:
        get(lambda _: httpx2.Response(status, content=body, headers=named))
    return caught.value


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 520, 529])
def test_what_may_pass_is_unavailable(status: int) -> None:
    assert isinstance(error(status, "<html>Oh</html>"), ProviderUnavailableError)


@pytest.mark.parametrize("status", [300, 302, 307, 400, 401, 402, 403, 404, 410, 413, 418, 422, 451])
def test_what_will_not_pass_is_refused(status: int) -> None:
    assert isinstance(error(status, "<html>Oh</html>"), RequestRejectedError)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "0.5"}, 0.5),
        ({"retry_after": "9", "retry_after_ms": "1500"}, 1.5),
        ({"retry_after": "-5"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": "inf"}, None),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({}, None),
    ],
)
def test_it_says_when_to_come_back(headers: dict[str, str], seconds: float | None) -> None:
    caught = error(429, **headers)

    assert isinstance(caught, ProviderUnavailableError)
    assert seconds == caught.retry_after


def test_a_date_to_come_back_at_is_counted_from_now() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    caught = error(503, retry_after=date)

    assert isinstance(caught, ProviderUnavailableError)
    assert 25 < (caught.retry_after or 0) <= 30


@pytest.mark.parametrize("code", ["insufficient_quota", "billing_hard_limit_reached"])
def test_a_quota_that_is_used_up_does_not_pass(code: str) -> None:
    caught = error(429, f'{{"error": {{"code": "{code}", "message": "You exceeded it."}}}}', retry_after="3600")

    assert isinstance(caught, RequestRejectedError)
    assert (
        str(caught) == "models.example reports that the quota is exhausted (429): You exceeded it. Check the account."
    )


@pytest.mark.parametrize(
    "message",
    [
        "Your credit balance is too low to access the API.",
        "Insufficient credits. Add more using the account page.",
        "You exceeded your current quota, please check your plan and billing details.",
        "Rate limit exceeded: free-models-per-day",
        "The monthly quota has been exhausted.",
    ],
)
def test_a_quota_is_told_by_its_words_too(message: str) -> None:
    caught = error(429, json.dumps({"error": {"code": 429, "message": message}}))

    assert isinstance(caught, RequestRejectedError)
    assert "reports that the quota is exhausted (429): " in str(caught)


@pytest.mark.parametrize("message", ["Rate limit reached on tokens per day (TPD)", "You exceeded your current quota"])
def test_a_limit_that_ends_at_a_known_time_may_pass(message: str) -> None:
    caught = error(429, json.dumps({"error": {"message": message}}), retry_after="432")

    assert isinstance(caught, ProviderUnavailableError)
    assert caught.retry_after == 432.0


@pytest.mark.parametrize(("reply", "seconds"), [("12.5s", 12.5), ("0s", 0.0), ("-1s", None), ("soon", None)])
def test_when_to_come_back_may_be_said_in_the_body(reply: str, seconds: float | None) -> None:
    details = [{"reason": "x"}, {"retryDelay": reply}]
    caught = error(503, json.dumps({"error": {"message": "Busy.", "status": "UNAVAILABLE", "details": details}}))

    assert isinstance(caught, ProviderUnavailableError)
    assert seconds == caught.retry_after


@pytest.mark.parametrize("message", ["Too many requests per minute", "Rate limit reached. Try again in 2s", ""])
def test_a_rate_is_no_quota(message: str) -> None:
    assert isinstance(error(429, json.dumps({"error": {"message": message}})), ProviderUnavailableError)


@pytest.mark.parametrize(
    "body",
    [
        '{"error": {"message": "No such model"}}',
        '{"error": "No such model"}',
        '{"message": "No such model"}',
        '{"detail": "No such model"}',
        '[{"error": {"code": 404, "message": "No such model"}}]',
        "No such model",
    ],
)
def test_the_vendor_s_own_words_are_in_the_sentence(body: str) -> None:
    expected = "models.example returned not found (404): No such model. Check the model's name and the base URL."

    assert expected == str(error(404, body))


@pytest.mark.parametrize("status", [300, 400, 401, 402, 403, 404, 410, 413, 418, 422, 429, 500, 503])
def test_what_the_service_of_an_app_refuses_has_nothing_to_do_with_models(status: int) -> None:
    async def download() -> None:
        transport = httpx2.MockTransport(lambda _: httpx2.Response(status, content="<html>Oh</html>"))
        async with AppClient("https://files.example", transport=transport) as client:
            async for _ in client.download("/pond.txt"):
                pass

    with pytest.raises(AppError, match=r"files\.example .*\.") as caught:
        asyncio.run(download())

    assert not {"model", "key", "task"} & set(str(caught.value).replace(".", " ").split())
    assert ("deleted" in str(caught.value)) == (status == 404)


@pytest.mark.parametrize("body", ["<html>big page</html>", '{"error": {', "[[[[", '{"error": {"message": 5}}', "{}"])
def test_what_says_nothing_is_not_quoted(body: str) -> None:
    assert str(error(500, body)) == "models.example returned status 500."


def test_a_long_message_is_cut_and_its_control_characters_are_gone() -> None:
    reply = str(error(400, '{"error": {"message": "\\u001b[31mred\\n\\n' + "x" * 10_000 + '"}}'))

    assert len(reply) < 500
    assert reply.isprintable()


@pytest.mark.parametrize("reply", [KEY, f"Bearer {KEY}", "sk-abcd1234efgh5678ijkl9012"])
def test_keys_are_not_repeated(reply: str) -> None:
    message = str(error(401, f'{{"error": {{"message": "Incorrect API key provided: {reply}"}}}}'))

    assert reply not in message
    assert "[redacted]" in message


def test_a_redirect_is_not_followed() -> None:
    texts: list[str] = []

    def elsewhere(request: httpx2.Request) -> httpx2.Response:
        texts.append(request.url.host)
        return httpx2.Response(302, headers={"location": "https://evil.example/"})

    with pytest.raises(RequestRejectedError, match="redirects to evil"):
        get(elsewhere)
    assert texts == ["models.example"]


@pytest.mark.parametrize("path", ["https://evil.example/v1/models", "http://models.example/v1", "https://a@evil/x"])
def test_an_address_elsewhere_is_not_asked(path: str) -> None:
    texts: list[str] = []

    def note(request: httpx2.Request) -> httpx2.Response:
        texts.append(str(request.url))
        return httpx2.Response(200, content="{}")

    async def ask() -> Json:
        async with ApiClient("https://models.example/v1", transport=httpx2.MockTransport(note)) as wire:
            return await wire.get(path)

    with pytest.raises(RequestRejectedError, match="belongs to another server"):
        asyncio.run(ask())
    assert not texts


@pytest.mark.parametrize(
    "broken",
    [
        httpx2.ConnectError("Name or service not known"),
        httpx2.ConnectTimeout(""),
        httpx2.ReadError("reset"),
        httpx2.RemoteProtocolError("peer closed"),
        httpx2.LocalProtocolError(f"Illegal header value b'Bearer {KEY}'"),
        httpx2.DecodingError("gzip"),
    ],
    ids=lambda broken: type(broken).__name__,
)
def test_a_broken_connection_is_unavailable_and_names_the_host(broken: Exception) -> None:
    def breaks(request: httpx2.Request) -> httpx2.Response:
        raise broken

    with pytest.raises(ProviderUnavailableError, match=r"^models\.example ") as caught:
        get(breaks)
    assert KEY not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("body", ["", "busy", '{"data": ['])
def test_a_document_that_is_no_json_is_unavailable(body: str) -> None:
    with pytest.raises(ProviderUnavailableError, match="not return JSON"):
        get(lambda _: httpx2.Response(200, content=body))


def test_a_host_s_port_is_named_and_its_password_is_not() -> None:
    with pytest.raises(ProviderUnavailableError) as caught:
        get(lambda _: httpx2.Response(500, content="no swordfish here"), "http://ann:swordfish@models.example:8080")

    assert str(caught.value) == "models.example:8080 returned status 500: no [redacted] here."


@pytest.mark.parametrize(
    "base_url", ["", "models.example", "ftp://models.example", "http://", "http://[::1", "http://a:b"]
)
def test_a_base_url_that_is_none_is_a_bad_setting(base_url: str) -> None:
    with pytest.raises(ConfigError, match="Invalid base URL"):
        ApiClient(base_url)


@pytest.mark.parametrize("key", ["new\nline-secret", "curly\u2019secret", "trailing-secret "])
def test_a_key_that_http_cannot_send_is_a_bad_setting_and_not_quoted(key: str) -> None:
    with pytest.raises(ConfigError, match="Authorization") as caught:
        ApiClient("https://models.example", headers={"Authorization": f"Bearer {key}"})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "echo", ["p@ss/w0rd", "p%40ss%2Fw0rd", "joe:p@ss/w0rd", b64encode(b"joe:p@ss/w0rd").decode(), "tok3n-0123"]
)
def test_the_login_of_an_address_is_not_repeated(echo: str) -> None:
    login = "tok3n-0123" if "tok" in echo else "joe:p%40ss%2Fw0rd"

    with pytest.raises(RequestRejectedError) as caught:
        get(lambda _: httpx2.Response(400, content=f"bad {echo}!"), f"http://{login}@models.example")

    assert echo not in str(caught.value)
    assert "[redacted]" in str(caught.value)


@pytest.mark.parametrize(
    ("reply", "seconds"),
    [
        ("Please try again in 20s.", 20.0),
        ("try again in 1m3s", 63.0),
        ("Try again in 500ms", 0.5),
        ("try again in 2 minutes", 120.0),
        ("Please try again in 1h2m3.5s. Visit us.", 3723.5),
        ("Please retry in 7.5 seconds", 7.5),
        ("try again in a while", None),
        ("try again in 20", None),
        ("try again in 20 steps", None),
        ("we took 20s", None),
    ],
)
def test_when_to_come_back_may_be_said_in_words(reply: str, seconds: float | None) -> None:
    for body in (json.dumps({"error": {"message": reply}}), reply):
        caught = error(429, body)
        assert isinstance(caught, ProviderUnavailableError)
        assert caught.retry_after == pytest.approx(seconds)


def test_a_header_says_it_better_than_words() -> None:
    assert getattr(error(429, "try again in 20s", retry_after="3"), "retry_after", None) == 3.0


@pytest.mark.parametrize(
    "letter", ["\u202e", "\u2066", "\u200b", "\u2028", "\ufeff", "\U000e0041", "\x9b", "\ud800"], ids=ascii
)
def test_what_cannot_be_seen_turns_no_line_around(letter: str) -> None:
    reply = str(error(400, json.dumps({"error": {"message": f"a{letter}b"}})))

    assert reply == "models.example rejected the request (400): a b."
