"""Provide a package index on this machine, and a clean environment where OpenKoi seems to come from it."""

import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from pathlib import Path
from threading import Thread

MAIN = "openkoi"
UV = shutil.which("uv")


@dataclass(frozen=True, slots=True)
class Index:
    """A folder of releases, served as the simple repository API. ``asked`` are the paths that were asked for."""

    folder: Path
    url: str
    asked: list[str] = field(default_factory=list)

    def publish(self, version: str, name: str = MAIN) -> None:
        """Add a release without code: the code is that of this repository."""
        folder = self.folder / "simple" / name
        folder.mkdir(parents=True, exist_ok=True)
        stem = f"{name.replace('-', '_')}-{version}"
        files = {
            f"{stem}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
            f"{stem}.dist-info/entry_points.txt": distribution(MAIN).read_text("entry_points.txt") or "",
            f"{stem}.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        record = f"{stem}.dist-info/RECORD"
        with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
            for path, text in {**files, record: "".join(f"{path},,\n" for path in (*files, record))}.items():
                wheel.writestr(path, text)


@contextmanager
def local_index(folder: Path) -> Iterator[Index]:
    """Serve an index from the loopback interface."""
    (folder / "simple").mkdir(parents=True)
    texts: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            texts.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Index(folder, f"http://127.0.0.1:{server.server_port}/simple", texts)
    finally:
        server.shutdown()
        server.server_close()


@dataclass(frozen=True, slots=True)
class Installation:
    """A virtual environment with pip, which runs the code of this repository."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def install(self, index: Index, *wanted: str) -> None:
        """Install releases from the index."""
        uv = [UV, "pip", "install", "--python", str(self.python)] if UV else []  # many times as fast as pip
        command = [*(uv or [str(self.python), "-m", "pip", "install"]), "--quiet", "--no-deps", *wanted]
        subprocess.run(command, check=True, env=only_from(index.url), cwd=self.folder)

    def version(self, name: str = MAIN) -> str:
        """Return the version that is installed."""
        code = f"from importlib.metadata import version; print(version({name!r}))"
        return subprocess.run([self.python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def new_installation(folder: Path) -> Installation:
    """Make a clean environment that finds our code, and so our plugins, where the tests find them."""
    subprocess.run([sys.executable, "-m", "venv", "--symlinks", str(folder)], check=True)
    add_our_code(folder)
    return Installation(folder)


def add_our_code(folder: Path) -> None:
    """Let an environment find our code, and so our plugins."""
    purelib = folder / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    ours = sysconfig.get_paths()["purelib"]
    (purelib / "zz_ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n")


def only_from(url: str) -> Mapping[str, str]:
    """Return variables by which pip and uv ask this index alone, and wait for nothing."""
    pip = {"PIP_INDEX_URL": url, "PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": "/dev/null"}
    uv = {"UV_INDEX_URL": url, "UV_NO_CONFIG": "1", "UV_HTTP_RETRIES": "0", "UV_NO_CACHE": "1"}
    return {**pip, "PIP_RETRIES": "0", **uv}
