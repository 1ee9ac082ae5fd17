"""The code blocks of README.md and of the pages in docs/."""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
# Made from sources that other tests run: the gallery from scenes and their twins, references from the package.
GENERATED = (DOCS / "gallery", DOCS / "reference", DOCS / "decisions")
SHELLS = ("sh", "console")
NO_RUN = re.compile(r"^<!-- no-run: (.+) -->$")
FENCE = re.compile(r"^(`{3,})(\S*)")


@dataclass
class Block:
    """A code block of a page."""

    page: str
    line: int
    language: str
    text: str
    no_run: str | None
    """Why it cannot run."""

    @property
    def commands(self) -> str:
        """What a shell is given of it."""
        if self.language == "sh":
            return self.text
        # What follows a prompt, with lines that go on; the rest is what the program prints.
        found, goes_on = [], False
        for line in self.text.splitlines():
            if line.startswith("$ ") or goes_on:
                found.append(line.removeprefix("$ "))
                goes_on = line.endswith("\\")
        return "\n".join(found) + "\n"


@dataclass
class Page:
    """A page and its blocks in their order."""

    path: Path
    blocks: list[Block] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its path in the repository."""
        return str(self.path.relative_to(ROOT))


def read(path: Path) -> Page:
    """The code blocks of a page; directives of the site (`{figure}` and so on) are none."""
    page = Page(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    number, reason = 0, None
    while number < len(lines):
        line = lines[number]
        number += 1
        if found := NO_RUN.match(line):
            reason = found.group(1)
            continue
        fence = FENCE.match(line)
        if fence is None:
            # A reason holds for the block right below it.
            reason = reason if not line.strip() else None
            continue
        start, inside = number, []
        while number < len(lines) and not lines[number].startswith(fence.group(1)):
            inside.append(lines[number])
            number += 1
        number += 1
        if not fence.group(2).startswith("{"):
            page.blocks.append(Block(page.name, start, fence.group(2), "\n".join(inside) + "\n", reason))
        reason = None
    return page


def pages() -> list[Page]:
    """README.md and the pages in docs/ that are written by hand."""
    written = [path for path in sorted(DOCS.rglob("*.md")) if not any(path.is_relative_to(folder) for folder in GENERATED)]
    return [read(path) for path in [ROOT / "README.md", *written]]
