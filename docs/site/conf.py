"""Settings of Sphinx for the site that scripts/docs builds. docs/site/stage writes the pages that it reads."""

import ctypes
import inspect
import os
import re
import sys

from docutils import nodes
from sphinx.util import logging

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.normpath(os.path.join(here, "../.."))
with open(os.path.join(root, "CMakeLists.txt"), encoding="utf-8") as file:
    release = re.search(r"project\(\s*copse\s+VERSION\s+([0-9.]+)", file.read())[1]

project = "Copse"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
highlight_language = "none"
myst_heading_anchors = 4  # links to headings have the anchors that GitHub makes

html_theme = "furo"
html_title = f"Copse {release}"
html_static_path = [os.path.join(here, "static")]
html_css_files = ["copse.css"]
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f6f43", "color-brand-content": "#1f6f43"},
    "dark_css_variables": {"color-brand-primary": "#6fcf97", "color-brand-content": "#6fcf97"},
}

# The Python reference is made of the docstrings. The package is imported without its shared library and without the
# packages that only some of its modules need.
autodoc_mock_imports = ["torch", "trimesh", "open3d"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True


class Function:
    """Stands for any function of the shared library."""

    def __call__(self, *arguments):
        return release.encode()


class Library:
    """Stands for the shared library."""

    def __init__(self, path):
        del path

    def __getattr__(self, name):
        return Function()


def import_without_library():
    sys.path.insert(0, os.path.join(root, "python"))
    sys.dont_write_bytecode = True
    loader, ctypes.CDLL = ctypes.CDLL, Library
    import copse  # noqa: F401

    ctypes.CDLL = loader


import_without_library()
FIELD = re.compile(r"([a-z_]\w*(?:, [a-z_]\w*)*):  *(\S.*)$")


def escaped(text):
    """Returns plain text as reStructuredText that shows it as it is."""
    return re.sub(r"([*`|_\\])", r"\\\1", text)


def plain_docstring(app, what, name, value, options, lines):
    """Turns a docstring of ours, which is plain text, to reStructuredText. Lines "name: text" become a list of fields,
    and lines that begin with >>> stay code. A public name without a docstring is a warning."""
    del app, options
    if not lines and what != "attribute" and not inspect.isbuiltin(value):
        logging.getLogger(__name__).warning("%s has no docstring", name)
    result = []
    for line in lines:
        field = FIELD.match(line)
        if line.lstrip().startswith(">>>"):
            result.append(line)
        elif field:
            if result and result[-1].strip() and not result[-1].startswith((":", " ")):
                result.append("")
            result.append(f":{escaped(field[1])}: {escaped(field[2])}")
        elif line.startswith(" ") and result and result[-1].startswith((":", "    ")):
            result.append("    " + escaped(line.strip()))
        else:
            if line.strip() and result and result[-1].startswith((":", "    ")):
                result.append("")
            result.append(escaped(line.strip()))
    lines[:] = result


def link_outside(app, environment, node, content):
    """Links to the pages of Doxygen and to the live page, which are copied beside those of Sphinx. check-site checks
    them."""
    del app, environment
    if re.match(r"(\.\./)*(cpp|live)/", node.get("reftarget", "")):
        return nodes.reference("", "", content, refuri=node["reftarget"], internal=True)
    return None


def setup(app):
    app.connect("missing-reference", link_outside)
    app.connect("autodoc-process-docstring", plain_docstring)
