"""The command-line reference, from the help texts that ``crates/*/tests/snapshots`` keep and the tests compare."""

from pathlib import Path

INTRODUCTION = """# Command line

What `ropewalk help` and `ropewalk COMMAND --help` print. Results go to standard output, everything else to standard error; units are SI and
radians. Settings that change physics are values of the scene and are set with `--set`: see the [scene reference](scene.md).

Exit codes:

| code | meaning |
|---|---|
| 0 | done, and every claim or case holds |
| 1 | a claim of the scene or a validation case fails |
| 2 | bad input (nothing is written), or an output that cannot be written |
| 3 | a step failed or a state is not finite; the last good state is kept and named |
| 130 | interrupted by Ctrl-C; outputs are complete up to that moment |
"""


def _body(snapshot: Path) -> str:
    """The text of a snapshot, without its header."""
    return snapshot.read_text(encoding="utf-8").split("---\n", 2)[2].rstrip()


def page(root: Path) -> str:
    """The page."""
    found = {path.stem: path for path in root.glob("crates/*/tests/snapshots/help*.snap")}
    if "help" not in found:
        raise FileNotFoundError(f"no snapshot of the help text under {root / 'crates'}")
    parts = [INTRODUCTION, f"```text\n{_body(found.pop('help'))}\n```\n"]
    for name in sorted(found):
        parts.append(f"## {name.removeprefix('help_').replace('_', ' ')}\n\n```text\n{_body(found[name])}\n```\n")
    return "\n".join(parts)
