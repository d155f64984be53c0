"""Test the parts of a task: words, piped text, named files, and images."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_process import Shell, shell

from openkoi_testing.servers import OpenAIServer

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c020000000b4944415478da6364f80f00010501012718e3660000"
    "000049454e44ae426082"
)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer("Seen.") as one:
        yield one


@pytest.fixture
def openkoi(tmp_path: Path, server: OpenAIServer) -> Shell:
    there = shell(tmp_path)
    (there.folder / "notes.txt").write_text("buy milk")
    (there.folder / "two words.md").write_text("bread")
    (there.folder / "dot.png").write_bytes(PIXEL)
    return there.with_environment(OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=server.url, OPENKOI_MODEL="openai/gpt-fake")


def test_piped_text_is_the_task_where_none_is_given(openkoi: Shell, server: OpenAIServer) -> None:
    bare, options = openkoi(stdin="List the planets"), openkoi("-i", "0", stdin="--help me list the moons")

    assert ("Seen.\n", "Seen.\n") == (bare.stdout, options.stdout), bare.stderr + options.stderr
    assert "# Task\\n\\nList the planets" in str(server.asked[0])
    assert "# Task\\n\\n--help me list the moons" in str(server.asked[-1])


def test_an_empty_line_welcomes_with_three_things_to_type(openkoi: Shell) -> None:
    result = openkoi()

    assert 0 == result.returncode
    assert 3 == sum(line.startswith("  openkoi ") for line in result.stdout.splitlines())
    assert len(result.stdout.splitlines()) < 10


def test_files_that_a_task_names_are_sent_with_it(openkoi: Shell, server: OpenAIServer) -> None:
    result = openkoi("-i", "0", "Compare", "@notes.txt,", 'and @"two words.md"', "for me@example.org and @nosuch.py")
    text = str(server.asked[0])

    assert 0 == result.returncode, result.stderr
    assert "buy milk" in text
    assert "bread" in text
    assert "There is no file" in result.stderr
    assert "example.org" not in result.stderr


def test_a_file_alone_may_be_the_task(openkoi: Shell, server: OpenAIServer) -> None:
    result = openkoi("-i", "0", "@notes.txt")

    assert 0 == result.returncode, result.stderr
    assert "buy milk" in str(server.asked[0])


def test_an_image_is_sent_as_an_image(openkoi: Shell, server: OpenAIServer) -> None:
    result = openkoi("-i", "0", "--image", "dot.png", "What is on @dot.png?")

    assert 0 == result.returncode, result.stderr
    assert 2 == str(server.asked[0]).count("data:image/png;base64")


@pytest.mark.parametrize(
    ("image", "words"),
    [("notes.txt", "notes.txt is not a PNG, JPEG, GIF or WebP image"), ("nosuch.png", "Cannot read nosuch.png")],
)
def test_what_is_not_an_image_is_refused_before_a_model_is_called(
    openkoi: Shell, server: OpenAIServer, image: str, words: str
) -> None:
    result = openkoi("-i", "0", "--image", image, "What is this?")

    assert (2, 0) == (result.returncode, len(server.asked))
    assert words in result.stderr


def test_a_model_without_vision_says_so(openkoi: Shell) -> None:
    (openkoi.folder / "blind.yaml").write_text("can: [tools]\nturns:\n  - says: Hello\n")
    result = openkoi("-m", "scripted/blind.yaml", "--image", "dot.png", "What is this?")

    assert 2 == result.returncode
    assert "scripted/blind.yaml does not read images. Choose another model with -m" in result.stderr


def test_a_piped_task_attaches_nothing_from_outside_its_folder(openkoi: Shell, server: OpenAIServer) -> None:
    secret = openkoi.folder.parent / "keys.txt"
    secret.write_text("opal-and-onyx")
    piped = openkoi("-i", "0", stdin=f"Mend this; see @{secret} and @notes.txt please")
    typed = openkoi("-i", "0", f"See @{secret}")

    assert "keys.txt is outside this folder and was not sent" in piped.stderr
    assert "keys.txt, which is outside this folder, is sent with the task" in typed.stderr
    assert ["buy milk" in str(server.asked[0]), "opal-and-onyx" in str(server.asked[0])] == [True, False]
    assert "opal-and-onyx" in str(server.asked[-1])
