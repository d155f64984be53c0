"""Write tables with pipes in their cells as Notion's own: in a Markdown table, Notion loses what follows a pipe."""

import re

FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})")
RULE = re.compile(r"^\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$")
PIPE = re.compile(r"(?<!\\)\|")


def keep_pipes(text: str) -> str:
    """Return Markdown in which no table has an escaped pipe; all else stays as it is."""
    lines, kept, place, fence = text.split("\n"), list[str](), 0, ""
    while place < len(lines):
        end = place + 1
        if found := FENCE.match(lines[place]):
            fence = "" if fence and found[1].startswith(fence) else fence or found[1]
        elif not fence and "|" in lines[place] and end < len(lines) and RULE.match(lines[end]):
            while end < len(lines) and "|" in lines[end]:
                end += 1
        rows = lines[place:end]
        kept += to_table(rows) if len(rows) > 1 and any("\\|" in row for row in rows) else rows
        place = end
    return "\n".join(kept)


def to_table(rows: list[str]) -> list[str]:
    """Return the lines of Notion's table for a head, the rule below it, and rows."""
    written = [f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells_of(row))}</tr>" for row in [rows[0], *rows[2:]]]
    return ['<table header-row="true">', *written, "</table>"]


def cells_of(row: str) -> list[str]:
    """Return the cells of a row, with their pipes unescaped."""
    cells = PIPE.split(row.strip())
    cells = cells[1:] if not cells[0].strip() else cells
    cells = cells[:-1] if cells and not cells[-1].strip() else cells
    return [cell.strip().replace("\\|", "|") for cell in cells]
