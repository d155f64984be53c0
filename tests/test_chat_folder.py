"""A chat whose folder is removed says so, and continues once the folder is there again."""

import shutil
from pathlib import Path

from chat_terminal import chat, says
from cli_process import shell


def test_a_removed_folder_is_named_and_the_message_is_sent_when_it_is_there_again(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    with chat(openkoi, says("Well.", "")) as tty:
        tty.send("hello")
        tty.shows("[done]")
        script = (openkoi.folder / "script.yaml").read_bytes()
        shutil.rmtree(openkoi.folder)
        for number, line in enumerate(("and now?", "/diff", "!ls", "/resume"), 1):
            tty.type("\x15")
            tty.send(line)
            tty.shows("was removed. Create", times=number)
            assert "Errno" not in tty.display

        openkoi.folder.mkdir()
        (openkoi.folder / "script.yaml").write_bytes(script)
        tty.type("\x15")
        tty.send("is it back?")
        tty.shows("[done]", times=2)
