"""Test that plugins are installed from third-party catalogues, as files or by URL, with verified hashes."""

import os
import threading
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cli_process import Shell, shell

SCRIPT = 'def before_plan():\n    return ["Be brief."]\n'
DIGEST = sha256(SCRIPT.encode()).hexdigest()


def listing(digest: str = DIGEST, **fields: str) -> str:
    """Return a catalogue with one plugin."""
    table = {"name": "be-brief", "kind": "script", "summary": "Answers are brief.", "file": "be-brief.star"}
    table |= {"sha256": digest, "trust": "reviewed", **fields}
    lines = [f'{key} = "{value}"' for key, value in table.items() if value]
    return "\n".join(['name = "acme"', "[[plugins]]", *lines, ""])


@pytest.fixture(name="folder")
def make_catalogue(tmp_path: Path) -> Path:
    """Return a folder with a catalogue and what it lists."""
    folder = tmp_path / "acme"
    folder.mkdir()
    (folder / "catalogue.toml").write_text(listing())
    (folder / "be-brief.star").write_text(SCRIPT)
    (folder / "evil-1.0-py3-none-any.whl").write_text(SCRIPT)
    return folder


@pytest.fixture(name="address")
def serve_catalogue(folder: Path) -> Iterator[str]:
    """Yield the address of the same catalogue on this machine."""
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/catalogue.toml"
        server.shutdown()


class QuietHandler(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        """Redirect what is named after it to another machine, by an address that is not safe."""
        if self.path.endswith("redirected.star"):
            self.send_response(302)
            self.send_header("Location", "http://example.com/be-brief.star")
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, *arguments: object) -> None:
        """Print nothing."""


def openkoi_with(tmp_path: Path, *places: object) -> Shell:
    """Return a command line with these catalogues."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    text = ", ".join(f'"{one}"' for one in places)
    (openkoi.home / "config.toml").write_text(f"[plugins]\ncatalogues = [{text}]\n")
    return openkoi


@pytest.mark.parametrize("hosted", ["file", "address"])
def test_a_plugin_is_found_and_installed_if_its_hash_is_right(
    tmp_path: Path, folder: Path, address: str, hosted: str
) -> None:
    openkoi = openkoi_with(tmp_path, folder / "catalogue.toml" if hosted == "file" else address)

    assert "be-brief  script  reviewed  Answers are brief.  (acme)\n" == openkoi("plugin", "search", "BRIEF").stdout
    result = openkoi("plugin", "install", "be-brief")

    target = openkoi.home / "data" / "plugins" / "scripts" / "be-brief.star"
    assert 0 == result.returncode, result.stderr
    assert "be-brief (script) from the catalogue acme, reviewed: hash verified.\n" in result.stdout
    assert SCRIPT == target.read_text()
    assert "be-brief" in openkoi("context", "Say hello").stdout.partition("estimated total")[0]
    target.write_text("# mine\n")
    assert "already exists and differs" in openkoi("plugin", "install", "be-brief").stderr


def test_a_file_with_another_hash_is_not_installed(tmp_path: Path, folder: Path) -> None:
    openkoi = openkoi_with(tmp_path, folder / "catalogue.toml")
    (folder / "be-brief.star").write_text(SCRIPT.replace("brief", "rude"))

    refused = openkoi("plugin", "install", "be-brief")

    assert 1 == refused.returncode
    assert "be-brief was not installed" in refused.stderr
    assert f"listed   {DIGEST}" in refused.stderr
    assert not (openkoi.home / "data" / "plugins").exists()


WRONG = {
    "[[plugins": "is not valid TOML",
    "a = " + "[" * 100_000: "is not valid TOML",
    "plugins = 3": "has no list [[plugins]]",
    listing(digest="abc"): "plugin 'be-brief': sha256 must be 64 hexadecimal digits",
    listing(file=""): "plugin 'be-brief': file is missing",
    listing(trust="perfect"): "trust must be one of listed, tested, reviewed",
    listing(file="https://127.0.0.1:1/x.star"): "cannot be read",
    listing(file="missing.star"): "cannot be read",
    listing(
        file="evil-1.0-py3-none-any.whl"
    ): "lists it as 'script', but its file evil-1.0-py3-none-any.whl is of a different",
    listing(file="evil-1.0-py3-none-any.whl", kind="hook"): "catalogue's file evil-1.0-py3-none-any.whl contains the",
    listing(kind=" WASM"): "the catalogue lists it as 'WASM', but its file be-brief.star is of a different kind",
    listing(file="redirected.star"): "a catalogue and its files must use https",
    listing(file="http://example.com/x.star"): "a catalogue and its files must use https",
    listing(file="catalogue.toml"): "does not have the hash",
}


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_a_wrong_catalogue_or_file_is_named_and_nothing_is_installed(
    tmp_path: Path, folder: Path, address: str, text: str
) -> None:
    openkoi = openkoi_with(tmp_path, address)
    (folder / "catalogue.toml").write_text(text)

    refused = openkoi("plugin", "install", "be-brief")

    assert 1 == refused.returncode
    assert WRONG[text] in refused.stderr
    assert not (openkoi.home / "data" / "plugins").exists()


@pytest.mark.skipif(os.name != "posix", reason="devices and pipes of POSIX")
@pytest.mark.parametrize("file", ["/dev/zero", "pipe"])
def test_a_file_without_end_is_not_read(tmp_path: Path, folder: Path, file: str) -> None:
    openkoi = openkoi_with(tmp_path, folder / "catalogue.toml")
    os.mkfifo(folder / "pipe")
    (folder / "catalogue.toml").write_text(listing(file=file))

    refused = openkoi("plugin", "install", "be-brief")

    assert 1 == refused.returncode
    assert f"{file} cannot be read: it is not a regular file." in refused.stderr


def test_a_script_is_named_as_the_catalogue_lists_it(tmp_path: Path, folder: Path) -> None:
    openkoi = openkoi_with(tmp_path, folder / "catalogue.toml")
    (folder / "guard.star").write_text(SCRIPT)
    (folder / "catalogue.toml").write_text(listing(file="guard.star", kind="script\\nOpenKoi: it is harmless."))

    installed = openkoi("plugin", "install", "be-brief")

    assert "be-brief (script OpenKoi: it is harmless.) from the catalogue acme" in installed.stdout
    assert ["be-brief.star"] == [one.name for one in (openkoi.home / "data" / "plugins" / "scripts").iterdir()]
    (folder / "catalogue.toml").write_text(listing(name="../be-brief"))
    assert (
        "'../be-brief' cannot be installed: a name may contain only"
        in openkoi("plugin", "install", "../be-brief").stderr
    )


def test_files_of_one_name_from_two_folders_are_each_installed_as_listed(tmp_path: Path, folder: Path) -> None:
    openkoi = openkoi_with(tmp_path, folder / "catalogue.toml")
    (folder / "other").mkdir()
    (folder / "other" / "be-brief.star").write_text(SCRIPT.replace("brief", "kind"))
    digest = sha256((folder / "other" / "be-brief.star").read_bytes()).hexdigest()
    second = listing(digest, name="be-kind", file="other/be-brief.star").partition("\n")[2]
    (folder / "catalogue.toml").write_text(listing() + second)

    result = openkoi("plugin", "install", "be-brief", "be-kind")

    assert 0 == result.returncode, result.stderr
    scripts = openkoi.home / "data" / "plugins" / "scripts"
    assert [SCRIPT, SCRIPT.replace("brief", "kind")] == [
        (scripts / f"{name}.star").read_text() for name in ("be-brief", "be-kind")
    ]


def test_without_a_catalogue_or_a_match_the_next_step_is_said(tmp_path: Path, folder: Path) -> None:
    openkoi = openkoi_with(tmp_path)
    (openkoi.home / "config.toml").unlink()

    assert "No catalogues are configured" in openkoi("plugin", "search").stderr
    assert "could not install ./no-such-plugin" in openkoi("plugin", "install", "./no-such-plugin").stderr
    (openkoi.home / "config.toml").write_text("[plugins]\ncatalogues = []\n")
    assert "No catalogues are configured. Add one to the config file" in openkoi("plugin", "search").stderr
    (openkoi.home / "config.toml").write_text(f'[plugins]\ncatalogues = ["{folder / "nowhere.toml"}"]\n')
    assert f"{folder / 'nowhere.toml'} cannot be read" in openkoi("plugin", "search").stderr
    (openkoi.home / "config.toml").write_text(f'[plugins]\ncatalogues = ["{folder / "catalogue.toml"}"]\n')
    assert "No plugin in the catalogues matches heron." in openkoi("plugin", "search", "heron").stderr


def test_a_script_of_a_catalogue_is_updated_and_removed(tmp_path: Path, folder: Path) -> None:
    openkoi = openkoi_with(tmp_path, folder / "catalogue.toml")
    target = openkoi.home / "data" / "plugins" / "scripts" / "be-brief.star"
    openkoi("plugin", "install", "be-brief")
    updated = openkoi("plugin", "update", "be-brief")
    (folder / "catalogue.toml").write_text('name = "acme"\n')
    unlisted = openkoi("plugin", "update", "be-brief")
    removed = openkoi("plugin", "remove", "be-brief")

    assert (0, True) == (updated.returncode, "hash verified" in updated.stdout)
    assert f"be-brief was not updated: your catalogues do not list it. It is installed at {target}." in unlisted.stderr
    assert f"Removed {target}.\n" == removed.stdout
    assert not target.exists()


def test_a_newer_script_of_a_catalogue_replaces_the_older_one_which_is_kept(tmp_path: Path, folder: Path) -> None:
    openkoi = openkoi_with(tmp_path, folder / "catalogue.toml")
    target = openkoi.home / "data" / "plugins" / "scripts" / "be-brief.star"
    openkoi("plugin", "install", "be-brief")
    newer = SCRIPT.replace("brief", "very brief")
    (folder / "be-brief.star").write_text(newer)
    (folder / "catalogue.toml").write_text(listing(sha256(newer.encode()).hexdigest()))

    refused = openkoi("plugin", "install", "be-brief")
    updated, again = (openkoi("plugin", "update", "be-brief") for _ in range(2))

    assert "To replace it, run `openkoi plugin update be-brief`." in refused.stderr
    assert (0, newer) == (updated.returncode, target.read_text()), updated.stderr
    assert SCRIPT == target.with_name("be-brief.star.old").read_text()
    assert f"be-brief is already up to date: {target}.\n" in again.stdout


def test_only_what_is_installed_is_updated(tmp_path: Path) -> None:
    refused = shell(tmp_path)("plugin", "update", "acme-absent")

    assert 2 == refused.returncode
    assert "Error: Not installed: acme-absent. Nothing was updated. " in refused.stderr


def test_what_a_catalogue_says_controls_no_terminal(tmp_path: Path, folder: Path) -> None:
    openkoi = openkoi_with(tmp_path, folder / "catalogue.toml")
    forged = "\\u001b]0;owned\\u0007half\\n[done]\\u202e"
    (folder / "catalogue.toml").write_text(listing(summary=forged, name=f"be-brief{forged}"))

    (line,) = openkoi("plugin", "search", "half").stdout.splitlines()
    assert line.isprintable()
    assert line.endswith("half [done]  (acme)")
