"""How Sphinx builds the site from these pages: `make site`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from war_env import __version__, errors  # noqa: E402

project = "war_env"
author = "The war_env authors"
copyright = author  # the licence names no year
release = version = __version__
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["data"]
myst_heading_anchors = 3
nitpicky = True  # a reference that leads nowhere is a warning; other packages' pages are not linked
nitpick_ignore_regex = [
    (r"py:.*", r"(collections|fractions|gymnasium|np|numpy|os|pathlib|pettingzoo|stable_baselines3|typing)(\..*)?"),
    (r"py:.*", r"[a-z, ]+|.*[^\w.].*|[A-Z]\w*(Mode|Indices)|AECEnv"),
]

# The reference is read from docstrings; learners' packages, which nothing here runs, need not be installed for it.
autodoc_mock_imports = ["stable_baselines3", "pettingzoo"]
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_preserve_defaults = True
autoclass_content = "class"
napoleon_numpy_docstring = False
napoleon_attr_annotations = True
default_role = "literal"
highlight_language = "none"  # of blocks that name no language: commands

html_theme = "furo"
html_title = f"war_env {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"source_directory": "docs/"}
pygments_style = "tango"
pygments_dark_style = "monokai"


def error_link(app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: nodes.Element) -> Any:
    """Docstrings name an error as code that imports it does: without its module."""
    target = node.get("reftarget", "")
    if not hasattr(errors, target):
        return None
    domain, name = env.get_domain("py"), f"war_env.errors.{target}"
    return domain.resolve_xref(env, node["refdoc"], app.builder, "exc", name, node, contnode)


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("missing-reference", error_link)
