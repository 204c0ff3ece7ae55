"""Writes the reference of the site: a page for each public module, an index of names, ops and diagnostics."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from website import docstrings
from website.surface import Entry, identity, modules, names, of_object, signature

DOCS = Path(__file__).parents[1] / "docs"


def pages() -> dict[str, str]:
    """Texts of the generated pages by their paths below `docs/`."""
    home: dict[int, str] = {}
    found = {}
    listed = modules()
    for name in sorted(listed, key=lambda name: (name.count("."), name)):
        found[f"reference/{name}.md"] = module_page(name, home)
    found["reference/index.md"] = index(list(listed))
    return found


def module_page(name: str, home: dict[int, str]) -> str:
    """A page of one module: its objects, those that another page has as links to it."""
    module = modules()[name]
    doc = inspect.cleandoc(module.__doc__ or "").strip()
    parts = [f"# {name}", doc]
    again = []
    for attribute in sorted(names(module), key=str.lower):
        found = list(of_object(f"{name}.{attribute}", getattr(module, attribute)))
        if not found or (found[0].kind == "value" and attribute.startswith("__")):
            continue
        key = identity(found[0])
        if key in home:
            again.append(f"- `{name}.{attribute}` is [`{home[key]}`]({page_of(home[key])})")
            continue
        home[key] = found[0].name
        parts += [section(entry) for entry in found]
    if again:
        parts += ["## Names of other modules", "\n".join(again)]
    return "\n\n".join(parts) + "\n"


def page_of(name: str) -> str:
    """The link to an object of another page."""
    module, _, _ = name.rpartition(".")
    return f"{module}.md#{anchor(name)}"


def anchor(name: str) -> str:
    """The anchor of an object."""
    return name.replace("_", "-").replace(".", "-").lower()


def section(entry: Entry) -> str:
    """A heading, the call, and the docstring of one object."""
    level = "###" if entry.kind in ("method", "property") else "##"
    short = entry.name.split(".", 1)[1]
    lines = [f"{level} {escaped(short.rpartition('.')[2])} {{ #{anchor(entry.name)} }}"]
    if entry.kind in ("function", "class", "method"):
        lines.append(f"```py\ngw.{short}{signature(entry)}\n```")
    elif entry.kind == "property":
        lines.append(f"Property `{short}`.")
    if entry.kind == "value":
        lines.append(f"`gw.{short}`: a value of type `{type(entry.object).__name__}`.")
        return "\n\n".join(lines)
    lines.append(docstrings.markdown(docstrings.parse(entry.doc)))
    return "\n\n".join(lines)


def escaped(name: str) -> str:
    """A name without marks of Markdown's."""
    return name.replace("_", "\\_")


def index(listed: list[str]) -> str:
    """The table of modules."""
    rows = []
    for name in listed:
        doc = inspect.cleandoc(modules()[name].__doc__ or "").partition("\n\n")[0]
        rows.append(f"| [`{name}`]({name}.md) | {' '.join(doc.split())} |")
    head = "# Reference\n\nEvery public object, from its docstring. Examples are executed.\n\n| module | |\n|---|---|\n"
    return head + "\n".join(rows) + "\n"


def title(page: Path) -> str:
    """The heading of a page."""
    return page.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")


def diagnostics_index() -> str:
    """Every diagnostic with its sentence."""
    rows = []
    for page in sorted([*(DOCS / "diagnostics").glob("GW*.md"), *(DOCS / "check").glob("GW*.md")]):
        code, _, text = title(page).partition(": ")
        link = page.name if page.parent.name == "diagnostics" else f"../check/{page.name}"
        rows.append(f"| [{code}]({link}) | {text} |")
    text = (
        "# Diagnostics\n\nEach error and warning of Graphwright carries a code. Its page says why it is raised, shows an example "
        "that raises it, and the same example repaired. `graphwright explain GW203` prints a page in the terminal.\n\n"
        "| code | |\n|---|---|\n"
    )
    return text + "\n".join(rows) + "\n"


def operations() -> str:
    """Every operation of the graph with the first line of its page."""
    rows = []
    for page in sorted((DOCS / "ops").glob("*.md")):
        if page.name == "README.md":
            continue
        lines = [line for line in page.read_text(encoding="utf-8").splitlines()[1:] if line]
        first = re.sub(r"\|", "\\|", lines[0])
        rows.append(f"| [{page.stem}]({page.name}) | {first} |")
    return "\n## All operations\n\n| op | |\n|---|---|\n" + "\n".join(rows) + "\n"
