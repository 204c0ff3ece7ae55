"""Counts the uses of public names in the examples of TensorFlow's and Keras's API reference.

The examples are in the docstrings of the installed packages. A name counts once for each docstring. `python
website/tensorflow_examples.py`, with TensorFlow installed, writes `tensorflow_examples.json`: names and counts.
"""

from __future__ import annotations

import ast
import doctest
import importlib.util
import inspect
import json
import re
import sys
import textwrap
import types
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FACTS = Path(__file__).with_name("tensorflow_examples.json")
#: The parts of installed packages whose docstrings are the API reference.
SOURCES = {"tensorflow": "tensorflow/python", "keras": "keras/src"}
#: What the names at the beginning of an example stand for.
ROOTS = {"tf": "tf", "keras": "tf.keras"}
PARSER = doctest.DocTestParser()
FENCE = re.compile(r"^[ \t]*```(?:python|py)?[ \t]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)


def docstrings(tree: ast.AST) -> Iterator[str]:
    """The docstrings of a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (doc := ast.get_docstring(node)):
            yield doc


def prompts(doc: str) -> list[str]:
    """The statements behind prompts."""
    try:
        return [example.source for example in PARSER.get_examples(doc)]
    except ValueError:
        lines = (line.strip() for line in doc.splitlines())
        return [line[4:] for line in lines if line.startswith(">>> ")]


def fenced(doc: str) -> list[str]:
    """The blocks of code between fences, without those of prompts."""
    return [textwrap.dedent(block) for block in FENCE.findall(doc) if ">>> " not in block]


def chains(source: str) -> Iterator[str]:
    """Dotted names that begin with `tf` or `keras`."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    inner: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            parts: list[str] = []
            at: ast.expr = node
            while isinstance(at, ast.Attribute):
                parts.append(at.attr)
                inner.add(id(at))
                at = at.value
            if isinstance(at, ast.Name) and at.id in ROOTS:
                yield ".".join([ROOTS[at.id], *reversed(parts)])


def public(name: str, package: Any) -> str | None:
    """The part of a dotted name that is public: up to the first thing that is no module and no class."""
    found, known = package, "tf"
    for part in name.split(".")[1:]:
        if not (inspect.ismodule(found) or inspect.isclass(found) or isinstance(found, types.ModuleType)):
            break
        try:
            found = getattr(found, part)
        except (AttributeError, ImportError):
            return known if inspect.isclass(found) else None
        known = f"{known}.{part}"
    return known


def counted(folder: Path, package: Any) -> dict[str, Counter[str]]:
    """The number of docstrings with each name, behind prompts and between fences."""
    found: dict[str, Counter[str]] = {"prompts": Counter(), "fences": Counter()}
    for file in sorted(folder.rglob("*.py")):
        if file.name.endswith("_test.py"):
            continue
        for doc in docstrings(ast.parse(file.read_text(encoding="utf-8"))):
            for kind, blocks in (("prompts", prompts(doc)), ("fences", fenced(doc))):
                used = {chain for block in blocks for chain in chains(block)}
                names = {name for chain in used if (name := public(chain, package)) is not None}
                found[kind].update(names - {"tf"})
    return found


def main() -> None:
    """Writes the file."""
    import tensorflow as tf  # type: ignore[import-not-found]

    site = Path(importlib.util.find_spec("tensorflow").origin).parent.parent  # type: ignore[union-attr,arg-type]
    versions = {"tensorflow": tf.__version__, "keras": tf.keras.__version__}
    facts: dict[str, Any] = {"versions": versions}
    for part, folder in SOURCES.items():
        for kind, counts in counted(site / folder, tf).items():
            facts[f"{part} {kind}"] = dict(sorted(counts.items()))
    FACTS.write_text(json.dumps(facts, indent=0) + "\n", encoding="utf-8")
    print({name: (len(counts), sum(counts.values())) for name, counts in facts.items() if name != "versions"})


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main())
