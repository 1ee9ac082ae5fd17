"""The index of the gallery: all embedded scenes, with pictures and pages where ``tools/make-gallery`` has made them."""

from pathlib import Path

import ropewalk

INTRODUCTION = """# Gallery

Every scene that comes with Ropewalk. A page shows a picture, says what happens, lists the scene's claims with the numbers that the run came to,
plays the run, and has the scene as a TOML file and as Python. Pages are made by

```sh
tools/make-gallery cantilever          # or several scenes; none for all of them
```
"""


def page(folder: Path) -> str:
    """The page; `folder` holds those of the scenes."""
    scenes = ropewalk.embedded_scenes()
    made = [name for name in scenes if (folder / f"{name}.md").exists()]
    parts = [INTRODUCTION]
    if made:
        parts.append("::::{container} pictures\n")
        for name in made:
            title = scenes[name].title
            parts.append(f":::{{figure}} {name}.png\n:alt: {title}\n:target: {name}.html\n\n`{name}`: {title}\n:::\n")
        parts.append("::::\n")
    rest = [name for name in scenes if name not in made]
    if rest:
        rows = "\n".join(f"| `{name}` | {scenes[name].title} |" for name in rest)
        parts.append(f"Not made in this copy of the site:\n\n| scene | what it shows |\n|---|---|\n{rows}\n")
    if made:
        listed = "\n".join(made)
        parts.append(f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n")
    return "\n".join(parts)
