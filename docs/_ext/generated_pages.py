"""Pages that are made when the site is built, so that they cannot fall behind: the scene reference from the schema, the command
line from the help that the tests keep, and the index of the gallery from the pages that ``tools/make-gallery`` has made."""

from pathlib import Path

import command_line
import gallery_index
import scene_reference
from sphinx.application import Sphinx


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


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("config-inited", lambda app, _: make(app))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
