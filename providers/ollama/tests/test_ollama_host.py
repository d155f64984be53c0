"""Test the server's address from any value of OLLAMA_HOST."""

import ollama
import pytest

from openkoi_hookspecs import ConfigError
from openkoi_ollama import Ollama
from openkoi_ollama.host import parse_host


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("  ' ' ", "http://127.0.0.1:11434"),
        ("1.2.3.4", "http://1.2.3.4:11434"),
        ("1.2.3.4:56789", "http://1.2.3.4:56789"),
        (":56789", "http://127.0.0.1:56789"),
        ("56789", "http://127.0.0.1:56789"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("http://0.0.0.0:8080/", "http://127.0.0.1:8080"),
        ("[::]:8080", "http://[::1]:8080"),
        ("::", "http://[::1]:11434"),
        ("::1", "http://[::1]:11434"),
        ("[::1]", "http://[::1]:11434"),
        ("[2001:db8::1]:56789", "http://[2001:db8::1]:56789"),
        ("https://[2001:db8::1]/path/", "https://[2001:db8::1]:443/path"),
        ("example.com", "http://example.com:11434"),
        ("example.com/", "http://example.com:11434"),
        ("example.com:56789/path/", "http://example.com:56789/path"),
        ("http://example.com", "http://example.com:80"),
        ("HTTPS://example.com", "https://example.com:443"),
        ("https://example.com:56789/a/b", "https://example.com:56789/a/b"),
        ("http://me:word@example.com", "http://me:word@example.com:80"),
        ("ollama.com", "https://ollama.com:443"),
        (' "localhost:1" ', "http://localhost:1"),
    ],
)
def test_a_host_is_read(host: str, url: str) -> None:
    assert url == parse_host(host)


@pytest.mark.parametrize(
    "host",
    ["1.2.3.4", ":56789", "1.2.3.4:56789", "http://1.2.3.4", "https://example.com", "example.com/path", "[::1]:5/a/"],
)
def test_the_vendor_s_client_reads_it_alike(host: str) -> None:
    with ollama.Client(host, trust_env=False) as client:
        theirs = str(client._client.base_url)

    url = parse_host(host)
    assert url.replace(":80/", "/").removesuffix(":80").removesuffix(":443") == theirs.rstrip("/")


@pytest.mark.parametrize("host", ["example.com:99999", "99999", "example.com:port", "ftp://example.com"])
def test_what_is_no_address_is_named(host: str) -> None:
    with pytest.raises(ConfigError, match="Invalid base URL"):
        Ollama(base_url=host)
