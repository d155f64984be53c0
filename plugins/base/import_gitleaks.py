"""Convert gitleaks' rules (``gitleaks.toml``, MIT) into the data file of this library.

    python import_gitleaks.py GITLEAKS.toml > src/openkoi_base.redact/gitleaks.json

Only rules with keywords are taken, and none that this library has in a form of its own. Their expressions are written
for Go; what Python spells in another way is spelled anew, and so is the end of a secret: in gitleaks it is a quote or
a blank, while texts of programs also end one with a comma, a bracket or an escaped line break.
"""

import json
import re
import sys
import tomllib
from pathlib import Path

OWN = {
    *("generic-api-key", "private-key", "curl-auth-header", "curl-auth-user", "jwt", "kubernetes-secret-yaml"),
    *("hashicorp-tf-password", "nuget-config-password", "sourcegraph-access-token"),
}
ESCAPE, OPTION = re.compile(r"\\.", re.DOTALL), re.compile(r"\(\?(-?[ims]+)\)")
SPELLED = (
    ("[[:alnum:]]", "[a-zA-Z0-9]"),
    (r"\z", r"\Z"),
    (r"[\w.-]{0,50}?", ""),  # what comes before a vendor's name is not masked
    (r"""[\s'"]{0,3}""", r"""[\s'"\\]{0,5}"""),
    (r"""[\x60'"\s=]{0,5}""", r"""[\x60'"\s=\\]{0,6}"""),
    (r"""(?:[\x60'"\s;]|\\[nr]|$)""", r"(?![A-Za-z0-9])"),
)


def converted(path: Path) -> list[dict[str, object]]:
    """The rules that Python can compile."""
    rules = tomllib.loads(path.read_text("utf-8"))["rules"]
    taken = [rule for rule in rules if rule.get("keywords") and rule.get("regex") and rule["id"] not in OWN]
    return [
        {
            "id": rule["id"],
            "keywords": sorted(word.lower() for word in rule["keywords"]),
            "pattern": re.compile(spelled(rule["regex"])).pattern,
            "word": rule["regex"].startswith(r"\b"),  # it begins at the beginning of a word
            "group": rule.get("secretGroup", 0),
            "entropy": rule.get("entropy", 0),
        }
        for rule in taken
    ]


def spelled(regex: str) -> str:
    """A regular expression of Go as one of Python."""
    for go, python in SPELLED:
        regex = regex.replace(go, python)
    return scoped(regex.removeprefix(r"\b"))


def scoped(regex: str) -> str:
    """Options in the middle, which hold for the rest of their group, as groups of their own."""
    found, open_groups, at = [], [0], 0
    while at < len(regex):
        rest = regex[at:]
        whole = ESCAPE.match(rest) or re.match(r"\[\^?\]?(?:\\.|[^\]\\])*\]", rest)
        if whole:
            found.append(whole[0])
        elif whole := OPTION.match(rest):
            found.append(f"(?{whole[1]}:")
            open_groups[-1] += 1
        elif rest[0] == ")":
            found.append(")" * (open_groups.pop() + 1))
        else:
            open_groups += [0] if rest[0] == "(" else []
            found.append(rest[0])
        at += whole.end() if whole else 1
    return "".join(found) + ")" * open_groups[0]


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(rule) for rule in converted(Path(sys.argv[1])))
    print(f"[\n{lines}\n]")
