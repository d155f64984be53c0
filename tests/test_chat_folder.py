"""A chat whose folder is removed says so, and continues once the folder is there again."""

import shutil
from functools import partial
from pathlib import Path

from chat_terminal import ChatTerminal, chat, says
from cli_process import shell


def is_refused(tty: ChatTerminal, shown: str) -> bool:
    _, line, below = tty.display.rpartition(f"{shown}\n  !")
    return bool(line) and "was removed. Create" in below.partition("\n\n")[0]


def test_a_removed_folder_is_named_and_the_message_is_sent_when_it_is_there_again(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    with chat(openkoi, says("Well.", "")) as tty:
        tty.send("hello")
        tty.shows("[done]")
        script = (openkoi.folder / "script.yaml").read_bytes()
        shutil.rmtree(openkoi.folder)
        for line, shown in (
            ("and now?", "> and now?"),
            ("/diff", "> /diff"),
            ("!ls", "! ls"),
            ("/resume", "> /resume"),
        ):
            tty.type("\x15")
            tty.send(line)
            tty.waits(partial(is_refused, tty, shown), f"the answer to {line}", 40)
            assert "Errno" not in tty.display

        openkoi.folder.mkdir()
        (openkoi.folder / "script.yaml").write_bytes(script)
        tty.type("\x15")
        tty.send("is it back?")
        tty.shows("[done]", times=2)
