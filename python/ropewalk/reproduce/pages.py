"""The report as a page, and as Markdown."""

import base64
import html
import re
from collections.abc import Sequence
from pathlib import Path

from ropewalk.reproduce.claims import Claim, verdicts
from ropewalk.reproduce.report import Block, Figure, Player, Section, Table, Verdict

__all__ = ["write_html", "write_markdown"]

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 66rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 0.8rem 0; font-size: 13px; }
td, th { border-bottom: 1px solid #ddd; padding: 0.25rem 0.7rem; text-align: left; vertical-align: top; }
th { border-bottom: 2px solid #999; } caption, figcaption { text-align: left; color: #555; font-size: 13px; }
figure { margin: 1rem 0; } img { max-width: 100%; } code { background: #f2f2f2; padding: 0 0.25rem; }
.reproduced, .improved, .agreed { color: #1b7a36; } .not { color: #b3311d; } .partly { color: #a06a00; }
iframe { width: 100%; height: 460px; border: 1px solid #ccc; }
"""


def _inline(text: str) -> str:
    """Escaped, with `code` and [words](#place)."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
    return re.sub(r"\[([^]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', text)


def _block(block: Block) -> str:
    match block:
        case str():
            return f"<p>{_inline(block)}</p>"
        case Table():
            head = "".join(f"<th>{_inline(cell)}</th>" for cell in block.header)
            rows = "".join("<tr>" + "".join(f"<td>{_inline(c)}</td>" for c in row) + "</tr>\n" for row in block.rows)
            return f"<table><caption>{_inline(block.caption)}</caption><tr>{head}</tr>\n{rows}</table>"
        case Figure():
            data = base64.b64encode(block.png).decode()
            picture = f'<img alt="{html.escape(block.caption)}" src="data:image/png;base64,{data}">'
            return f'<figure id="{block.name}">{picture}<figcaption>{_inline(block.caption)}</figcaption></figure>'
        case Player():
            frame = f'<iframe sandbox="allow-scripts" loading="lazy" srcdoc="{html.escape(block.html)}"></iframe>'
            return f"<details><summary>{_inline(block.caption)}</summary>{frame}</details>"


def _claim_rows(sections: Sequence[Section]) -> list[tuple[Claim, Verdict]]:
    found = {name: verdict for section in sections for name, verdict in section.verdicts.items()}
    return verdicts(found)


def write_html(path: Path, title: str, about: Sequence[str], sections: Sequence[Section]) -> None:
    """Writes the report as one file that needs no other."""
    parts = [f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>']
    parts += [f"<style>{STYLE}</style><h1>{html.escape(title)}</h1>"]
    parts += [f"<p>{_inline(line)}</p>" for line in about]
    links = [f'<li><a href="#{s.name}">{html.escape(s.title)}</a></li>' for s in sections]
    parts += ["<ul>", *links, '<li><a href="#claims">Claims of the paper</a></li></ul>']
    for section in sections:
        parts.append(f'<h2 id="{section.name}">{html.escape(section.title)}</h2><p>{_inline(section.settings)}</p>')
        parts += [_block(block) for block in section.blocks]
    parts.append('<h2 id="claims">Claims of the paper</h2><table>')
    parts.append("<tr><th>where</th><th>claim</th><th>what shows it here</th><th>verdict</th></tr>")
    for claim, verdict in _claim_rows(sections):
        kind = verdict.word.split()[0]
        cells = f"<td>{html.escape(claim.where)}</td><td>{_inline(claim.text)}</td><td>{_inline(verdict.evidence)}</td>"
        parts.append(f'<tr>{cells}<td class="{kind}">{verdict.word}</td></tr>')
    parts.append("</table></html>")
    path.write_text("\n".join(parts), encoding="utf-8")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(map(_cell, line)) + " |" for line in [header, *rows]]
    return "\n".join([lines[0], "|" + "---|" * len(header), *lines[1:]])


def write_markdown(folder: Path, title: str, about: Sequence[str], sections: Sequence[Section]) -> None:
    """Writes the report as ``report.md``, with figures in the folder ``figures`` next to it."""
    (folder / "figures").mkdir(exist_ok=True)
    parts = [f"# {title}", *about]
    for section in sections:
        parts += [f"## {section.title}", section.settings]
        for block in section.blocks:
            match block:
                case str():
                    parts.append(block)
                case Table():
                    parts += [f"*{block.caption}*", _markdown_table(block.header, block.rows)]
                case Figure():
                    (folder / "figures" / f"{block.name}.png").write_bytes(block.png)
                    parts.append(f"![{block.caption}](figures/{block.name}.png)")
                case Player():
                    parts.append(f"({block.caption}: in report.html)")
    rows = [(c.where, c.text, v.evidence, v.word) for c, v in _claim_rows(sections)]
    parts += ["## Claims of the paper", _markdown_table(["where", "claim", "what shows it here", "verdict"], rows)]
    (folder / "report.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
