"""Pages that are made when the site is built, so that they cannot fall behind: the scene reference from the schema, the command
line from the help that the tests keep, and the index of the gallery from the pages that ``tools/make-gallery`` has made."""

import re
from pathlib import Path

import command_line
import gallery_index
import scene_reference
from docutils import nodes
from numpy.typing import ArrayLike
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.typing import stringify_annotation


SMART = stringify_annotation(ArrayLike, "smart")
# As autodoc hands it over, and as it stands in a page.
ARRAY_LIKE = (SMART, re.sub(r"~(?:\w+\.)+", "", SMART))
ARRAY = re.compile(r"~?(?:numpy\.)?ndarray\[tuple\[~?(?:typing\.)?Any, \.\.\.\], ~?(?:numpy\.)?dtype\[~?(?:numpy\.|typing\.)?(\w+)\]\]")


def write(path: Path, text: str) -> None:
    """Writes a page if it has changed: the builder reads again only what has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def make(app: Sphinx) -> None:
    """Makes the pages."""
    docs = Path(app.srcdir)
    write(docs / "reference" / "scene.md", scene_reference.page())
    write(docs / "reference" / "command_line.md", command_line.page(docs.parent))
    write(docs / "gallery" / "index.md", gallery_index.page(docs / "gallery"))
    (docs / "_extra").mkdir(exist_ok=True)


def make_short(text: str | None) -> str | None:
    """Types of arrays by their names, as the sources have them, not by what these stand for."""
    if text is None:
        return None
    for long in ARRAY_LIKE:
        text = text.replace(long, "ArrayLike")
    return ARRAY.sub(r"NDArray[\1]", text)


def shorten_signature(
    app: Sphinx, what: str, name: str, thing: object, options: object, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Shortens what stands between and after the brackets of a function."""
    return make_short(signature), make_short(returned)


def shorten_attributes(app: Sphinx, page: nodes.document, name: str) -> None:
    """Shortens the types of attributes and properties, which autodoc writes by itself."""
    for node in page.findall(addnodes.desc_annotation):
        text = node.astext()
        short = make_short(text)
        if short != text:
            node.children = [nodes.Text(short)]


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("config-inited", lambda app, _: make(app))
    app.connect("autodoc-process-signature", shorten_signature)
    app.connect("doctree-resolved", shorten_attributes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
