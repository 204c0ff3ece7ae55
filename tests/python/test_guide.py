"""The guide, tutorials and concepts, and TensorFlow's guide with our names: each block prints the block after it.

The blocks of a page run one after another in one module. A block marked `py raises` ends with an exception, whose
message is the end of what it prints. `make bless` rewrites what the pages say.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import warnings
from pathlib import Path

import pytest

from pages import ROOT, blocks

pytestmark = pytest.mark.usefixtures("same_graphs")

GUIDE = sorted((ROOT / "docs" / "guide").glob("*.md"))
#: Pages of the site whose blocks run as the guide's do: those of these folders, and those beside them.
FOLDERS = ("start", "tutorials", "concepts", "from")
SITE = [page for folder in (*FOLDERS, ".") for page in sorted((ROOT / "docs" / folder).glob("*.md"))]
SITE.append(ROOT / "CONTRIBUTING.md")
PAGES = [*GUIDE, *SITE, ROOT / "tests" / "python" / "seed_functions.md"]


def shown(page):
    """Each block of code, what it prints now, and the block of output that stands behind it, if there is one."""
    names = {"__name__": "guide"}
    found = blocks(page)
    for block, following in zip(found, [*found[1:], None]):
        if block.language != "py":
            continue
        output = following if following is not None and following.language == "text" else None
        yield block, printed(block, names), output


def printed(block, names):
    """What a block prints; warnings are printed as their texts."""
    stream = io.StringIO()
    with (
        warnings.catch_warnings(record=True) as warned,
        contextlib.redirect_stdout(stream),
        contextlib.redirect_stderr(stream),
    ):
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", "os.fork")  # JAX's, where another test has imported it
        try:
            block.run(names)
        except Exception as error:
            if "raises" not in block.marks:
                raise
            print(f"{type(error).__name__}: {error}")
        else:
            assert "raises" not in block.marks, f"{block.page}:{block.line}: nothing is raised"
    said = [f"{warning.category.__name__}: {warning.message}" for warning in warned]
    return "".join(line + "\n" for line in [*stream.getvalue().splitlines(), *said])


def comparable(text):
    """The text; before Python 3.11, which knows no columns, without the lines of code that messages quote."""
    if sys.version_info >= (3, 11):
        return text
    return [line for line in text.splitlines() if not re.match(r" *(-->|\d+ \||\|)", line)]


#: Packages that a page needs and that need not be there.
NEEDS = {"guide-ray": "ray", "guide-targets": "jax", "from-jax": "jax"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_page(page):
    if package := NEEDS.get(f"{page.parent.name}-{page.stem}"):
        pytest.importorskip(package, reason=f"the package `{package}` is not installed")
    for block, text, output in shown(page):
        place = f"{page.name}:{block.line}"
        assert block.marks <= {"raises"}, place
        assert comparable(text) == comparable(output.text if output else ""), place


def test_the_index_has_every_page():
    index = (ROOT / "docs" / "guide" / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"\]\(([\w-]+)\.md\)", index)
    assert sorted(listed) == sorted(page.stem for page in GUIDE if page.stem != "README")


def bless(page):
    """Rewrites the blocks of output."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for block, text, output in reversed(list(shown(page))):
        end = block.line + block.text.count("\n") + 1
        rest = output.line + output.text.count("\n") + 1 if output else end
        said = ["", "```text", *text.splitlines(), "```"] if text else []
        lines[end:rest] = said
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    chosen = [Path(name).resolve() for name in sys.argv[1:]]
    for page in chosen or PAGES:
        bless(page)
