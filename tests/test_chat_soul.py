"""``/soul review`` is the command of the plugin that has a soul: it asks on the terminal, and the chat continues."""

from pathlib import Path

from chat_terminal import chat, says
from cli_process import shell

SOUL = """
import click

@click.command("soul")
@click.argument("words", nargs=-1)
def soul(words):
    click.echo(f"soul {' '.join(words)}: +1 line. [a]pply [d]ismiss [e]dit [v]iew full")
    click.echo(f"chosen: {click.prompt('Choice')}")
"""


def test_a_plugin_with_a_soul_reviews_it_on_the_terminal(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    there = openkoi.with_plugin(SOUL, commands="acme:soul")
    points = tmp_path / "site" / "acme-1.0.dist-info" / "entry_points.txt"
    points.write_text(points.read_text().replace("acme = ", "soul = "))
    with chat(there, says("Well.", "")) as tty:
        tty.send("/soul review")
        tty.shows("soul review: +1 line. [a]pply [d]ismiss [e]dit [v]iew full")
        tty.inner.type("d\r")
        tty.shows("chosen: d")
        tty.shows("for commands")
        tty.send("hello")
        tty.shows("Well. [1]")
