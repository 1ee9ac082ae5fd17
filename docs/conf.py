"""The site: ``python -m sphinx -W -b html docs target/site``, with the package installed. See ``docs/writing.md``."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "Ropewalk"
author = "the authors of Ropewalk"
project_copyright = author
version = release = metadata.version("ropewalk")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "generated_pages"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_ext", "requirements.txt"]

myst_enable_extensions = ["attrs_block", "colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "inherited-members": "tuple,dict,Exception"}
# A page that lists all members beside itself is slow to build and to read.
toc_object_entries = False
python_use_unqualified_type_names = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = "Ropewalk"
html_static_path = ["_static"]
html_css_files = ["ropewalk.css"]
html_extra_path = ["_extra"]
html_show_sourcelink = False
html_copy_source = False
