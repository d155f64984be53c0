"""Commands that only read print the same whether OpenKoi has to be opened for them or not."""

from pathlib import Path
from shutil import rmtree

from cli_process import Shell, shell, write_script

OWN_SETTINGS = "[memory.duckdb]\nseconds = 1.0\n"  # with which the memory has to be made
COMMANDS = (("status",), ("memory", "search", "teapot"), ("memory", "search", "--format", "json", "teapot"))
KEY = "sk-canary-4f2a9c1e7b3d5a6f"


def printed(openkoi: Shell, settings: str) -> list[tuple[int, str, str]]:
    """Return what the commands print with these settings."""
    (openkoi.home / "config.toml").write_text(settings)
    results = [openkoi(*command) for command in COMMANDS]
    return [(one.returncode, one.stdout, one.stderr) for one in results]


def with_a_task(folder: Path, *tasks: str) -> Shell:
    openkoi = shell(folder).with_environment(ACME_API_KEY=KEY)
    model = write_script(openkoi.folder, "  - says: It is a teapot.\n")
    openkoi.home.mkdir(exist_ok=True)
    for task in tasks:
        assert 0 == openkoi("-i", "0", "-m", model, task).returncode
    return openkoi


def test_what_is_read_is_what_is_shown_by_the_opened_memory(tmp_path: Path) -> None:
    openkoi = with_a_task(tmp_path, "What is a teapot?", f"Is {KEY} a teapot?")
    openkoi("memory", "search", "teapot")  # so that memory has read all of the log

    rows, opened = printed(openkoi, ""), printed(openkoi, OWN_SETTINGS)

    assert opened == rows
    assert all("teapot" in out and "2" in out for _, out, _ in rows)
    assert not any(KEY in out or KEY in err for _, out, err in rows)


def test_without_tasks_memory_or_index_both_say_the_same(tmp_path: Path) -> None:
    openkoi = with_a_task(tmp_path)
    assert printed(openkoi, OWN_SETTINGS) == printed(openkoi, "")

    none = printed(openkoi, '[use]\nmemory = "none"\n')
    assert "Memory: none" in none[0][1]
    assert [(0, "No results.\n"), (0, "[]\n")] == [(code, out) for code, out, _ in none[1:]]


def test_a_search_catches_up_with_the_log_first(tmp_path: Path) -> None:
    openkoi = with_a_task(tmp_path, "What is a teapot?")
    rmtree(openkoi.home / "data" / "openkoi.db.index")

    first = openkoi("memory", "search", "teapot")

    assert "What is a teapot?" in first.stdout
    assert first.stdout == openkoi("memory", "search", "teapot").stdout


def test_a_damaged_index_is_moved_aside_and_filled_again(tmp_path: Path) -> None:
    openkoi = with_a_task(tmp_path, "What is a teapot?")
    openkoi("memory", "search", "teapot")
    for path in (openkoi.home / "data" / "openkoi.db.index").iterdir():
        path.write_bytes(b"damaged" * 100)

    status, search = openkoi("status"), openkoi("memory", "search", "teapot")

    assert 0 == status.returncode
    assert "What is a teapot?" in search.stdout
    assert list((openkoi.home / "data").glob("openkoi.db.index.bad-*"))


def test_what_is_wrong_with_the_configuration_is_said_either_way(tmp_path: Path) -> None:
    openkoi = with_a_task(tmp_path, "What is a teapot?")

    for settings in ("[use\n", "[models]\nexecutor = 5\n", '[use]\nmemory = "acme"\n', "[memory.duckdb]\nmemry = 1\n"):
        status, search, _ = printed(openkoi, settings)
        assert (search[0] == 0) == (settings.startswith("[memory"))
        assert "Traceback" not in status[2] + search[2]
    assert "memry" in search[2]


def test_a_memory_of_another_distribution_is_opened(tmp_path: Path) -> None:
    code = (
        "class Acme:\n"
        "    async def ingest(self, records):\n        pass\n"
        "    async def search(self, query):\n        return []\n"
        "    async def health(self):\n        return {'pages': '7'}\n"
    )
    openkoi = shell(tmp_path).with_plugin(code, memory="acme:Acme")
    openkoi.home.mkdir(exist_ok=True)

    status, search, _ = printed(openkoi, '[use]\nmemory = "acme"\n')

    assert "Memory: pages 7" in status[1]
    assert (0, "No results.\n") == search[:2]


def test_a_memory_that_can_be_read_is_not_made(tmp_path: Path) -> None:
    code = (
        "class Acme:\n    def __init__(self):\n        raise RuntimeError('made')\n\n\n"
        "class Pages:\n"
        "    def health(self):\n        return {'pages': '7'}\n"
        "    def offsets(self):\n        return {}\n"
        "    def search(self, query):\n        return []\n\n\n"
        "def read_memory(reader):\n    return Pages()\n"
    )
    openkoi = shell(tmp_path).with_plugin(code, memory="acme:Acme")
    openkoi.home.mkdir(exist_ok=True)

    status, search, _ = printed(openkoi, '[use]\nmemory = "acme"\n')

    assert "Memory: pages 7" in status[1]
    assert (0, "No results.\n") == search[:2]
