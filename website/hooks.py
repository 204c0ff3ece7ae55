"""Hooks of MkDocs: adds generated pages, expands the navigation, and adapts fences and links to the site."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT)]

from mkdocs.structure.files import File, Files  # noqa: E402

from website import reference  # noqa: E402

#: Pages of the repository's root that the site shows, by their names there.
OF_ROOT = {
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
}

#: Weights of pages in the search by the beginnings of their names, the first that fits: users' pages come before decisions.
RANKS = {
    "start/transcript": 0.1,
    "start/": 2.0,
    "faq": 2.0,
    "tutorials/": 1.5,
    "guide/": 1.5,
    "design/": 0.1,
    "project/": 0.1,
}

#: A line on the pages whose blocks call `check`, which is no function of the package.
CHECK = "*`check(f, …)` calls `f` plainly, converted and staged, and [compares the three]({}README.md).*\n"

#: What the theme loads where a page is opened from the disk.
SHIM = "https://unpkg.com/iframe-worker/shim"


def on_config(config: Any) -> Any:
    """Expands `folder/*` in the navigation to the pages of the folder."""
    config.nav = expanded(config.nav)
    return config


def expanded(nav: list[Any]) -> list[Any]:
    """The navigation with every `folder/*` replaced by pages."""
    found: list[Any] = []
    for item in nav:
        if isinstance(item, str) and item.endswith("/*"):
            folder = item[:-2]
            if folder == "reference":
                made = [path for path in reference.pages() if path != "reference/index.md"]
                in_order = sorted(made, key=lambda path: (short(path) != "graphwright", short(path)))
                found += [{short(path): path} for path in in_order]
            else:
                pages = sorted((ROOT / "docs" / folder).glob("*.md"))
                found += [f"{folder}/{page.name}" for page in pages if page.name != "README.md"]
        elif isinstance(item, dict):
            found.append(
                {
                    title: expanded(value) if isinstance(value, list) else value
                    for title, value in item.items()
                }
            )
        else:
            found.append(item)
    return found


def short(path: str) -> str:
    """The name of a module without the package's, which the navigation has room for."""
    return path[len("reference/") : -len(".md")].removeprefix("graphwright.")


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that are made: the reference, the index of diagnostics, and those of the root."""
    made = reference.pages()
    made["diagnostics/index.md"] = reference.diagnostics_index()
    made["ops/operations.md"] = (ROOT / "docs/ops/README.md").read_text(
        encoding="utf-8"
    ) + reference.operations()
    for source, path in OF_ROOT.items():
        if (ROOT / source).exists():
            text = (ROOT / source).read_text(encoding="utf-8")
            made[path] = text.replace("](docs/", "](../").replace("](CHANGELOG.md", "](changelog.md")
            made[path] = re.sub(r"\[(\w+)\]\(\1\.md\)", r"`\1.md`", made[path])
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def rank(path: str) -> float:
    """The weight of a page in the search."""
    return next((weight for start, weight in RANKS.items() if path.startswith(start)), 1.0)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Ranks the page, drops marks behind a fence's language, which only tests read, and leads to `ops/operations.md`.

    The page of the op `index` has the name that `README.md` would have.
    """
    path = page.file.src_path
    page.meta["search"] = {"boost": rank(path)}
    if path.startswith("python/") and "\ncheck(" in markdown:
        markdown = re.sub(
            r"^(# .*\n)", r"\1\n" + CHECK.format("../" * (path.count("/") - 1)), markdown, count=1
        )
    markdown = markdown.replace("ops/README.md", "ops/operations.md")
    if path.startswith("ops/"):
        markdown = markdown.replace("(README.md", "(operations.md")
    return re.sub(r"^(```\w+)(?: \w+)+$", r"\1", markdown, flags=re.MULTILINE)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Takes the shim for searches of pages on the disk from the site itself, not from another host."""
    return output.replace(SHIM, f"{'../' * page.url.count('/')}assets/worker.js")


def on_post_template(output_content: str, **_: Any) -> str:
    """The same for the page of links that lead nowhere."""
    return output_content.replace(SHIM, "assets/worker.js")
