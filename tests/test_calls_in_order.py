"""Test that the calls of one turn that change a file take effect in the model's order."""

from pathlib import Path

from cli_process import shell, write_script

STEPS = 8
CALLS = "".join(
    f'      - {{tool: edit_file, arguments: {{path: a.txt, search: "step {n}.", replace: "step {n + 1}."}}}}\n'
    for n in range(STEPS)
)
TURNS = f"""  - when: {{after: 0}}
    says: Write.
    calls:
      - {{tool: write_file, arguments: {{path: a.txt, content: "step 0."}}}}
{CALLS}    repeat: true
  - says: Done.
    repeat: true
"""


def test_edits_of_one_file_in_one_turn_build_on_each_other(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)

    result = openkoi("-i", "0", "-m", write_script(openkoi.folder, TURNS), "Write and edit a.txt")

    assert 0 == result.returncode, result.stderr
    assert f"step {STEPS}." == (openkoi.folder / "a.txt").read_text(), result.stderr
