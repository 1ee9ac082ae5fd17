"""Pages: a run, or a world, to look at in a browser or a notebook."""

import html
import os
from pathlib import Path

__all__ = ["Page"]

LEAST_HEIGHT, MOST_HEIGHT = 100, 4000


class Page:
    """A page of HTML with everything in it. A notebook shows it in a frame of its own, which can do nothing but run itself."""

    def __init__(self, text: str, height: int) -> None:
        if not LEAST_HEIGHT <= height <= MOST_HEIGHT:
            raise ValueError(f"height is {height} pixels: expected {LEAST_HEIGHT} to {MOST_HEIGHT}")
        self.html = text
        """The page."""
        self.height = height
        """Height in a notebook, in pixels."""

    def __repr__(self) -> str:
        return f"<Page of {len(self.html) / 1e6:.1f} MB: a notebook shows it, save(path) writes it>"

    def _repr_html_(self) -> str:
        frame = 'sandbox="allow-scripts allow-downloads" style="width: 100%; border: 0"'
        return f'<iframe srcdoc="{html.escape(self.html)}" height="{self.height}" {frame}></iframe>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file; one that is there is replaced."""
        Path(path).write_text(self.html, encoding="utf-8")
