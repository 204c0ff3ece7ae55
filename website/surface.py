"""Lists what is public: modules, functions, classes, methods and properties, by their public names."""

from __future__ import annotations

import inspect
import itertools
import types
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

#: Modules that their package does not name in `__all__`.
UNLISTED = (
    "graphwright.typing",
    "graphwright.jax",
    "graphwright.config.threading",
    "graphwright.federated",
)
#: Packages that a module needs and that need not be there.
OPTIONAL = {"graphwright.jax": "jax"}


@dataclass(frozen=True)
class Entry:
    """A public object: the name to import it by, the object, and its kind."""

    name: str
    object: object
    kind: str  # "function", "class", "method", "property" or "value"

    @property
    def doc(self) -> str:
        """The docstring without its indentation."""
        return inspect.cleandoc(self.object.__doc__ or "")


def modules() -> dict[str, types.ModuleType]:
    """Public modules by name, in the order of their names."""
    found: dict[str, types.ModuleType] = {}
    waiting = [(name, module) for name in ("graphwright", *UNLISTED) if (module := imported(name))]
    while waiting:
        name, module = waiting.pop(0)
        if module in found.values():
            continue
        found[name] = module
        for attribute in getattr(module, "__all__", ()):
            inner = getattr(module, attribute)
            if isinstance(inner, types.ModuleType):
                waiting.append((f"{name}.{attribute}", inner))
    return dict(sorted(found.items()))


def imported(name: str) -> types.ModuleType | None:
    """A module, or nothing where a package that it needs is not there."""
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name and OPTIONAL.get(name) == missing.name.split(".")[0]:
            return None
        raise


def names(module: types.ModuleType) -> list[str]:
    """Names that a module offers, without those of modules."""
    offered = getattr(module, "__all__", None) or [name for name in vars(module) if name[0] != "_"]
    return [name for name in offered if not isinstance(getattr(module, name), types.ModuleType)]


def entries() -> list[Entry]:
    """Every public object once, under its shortest name."""
    seen: dict[int, Entry] = {}
    for name, module in sorted(modules().items(), key=lambda item: (item[0].count("."), item[0])):
        for attribute in names(module):
            found = list(of_object(f"{name}.{attribute}", getattr(module, attribute)))
            if found and identity(found[0]) not in seen:
                seen.update((identity(entry), entry) for entry in found)
    return sorted(seen.values(), key=lambda entry: entry.name)


def identity(entry: Entry) -> int:
    """A key that is the same for one object under two names."""
    return hash(entry.name) if entry.kind in ("method", "property", "value") else id(entry.object)


def of_object(name: str, value: object) -> Iterator[Entry]:
    """The entries of one public object: itself and, of a class, its members."""
    if inspect.isclass(value):
        yield Entry(name, value, "class")
        yield from members(name, value)
    elif inspect.isroutine(value):
        yield Entry(name, value, "function")
    elif isinstance(value, types.SimpleNamespace):
        for attribute, inner in vars(value).items():
            yield from of_object(f"{name}.{attribute}", inner)
    else:
        yield Entry(name, value, "value")


def members(name: str, owner: type) -> Iterator[Entry]:
    """Public methods and properties that a class, or a private base of its own, defines."""
    own = itertools.takewhile(lambda base: base is owner or "._" in base.__module__, owner.__mro__)
    defined = {name: value for base in reversed(list(own)) for name, value in vars(base).items()}
    for attribute, value in defined.items():
        if attribute.startswith("_"):
            continue
        inner = getattr(value, "__func__", value)
        if inspect.isroutine(inner):
            yield Entry(f"{name}.{attribute}", inner, "method")
        elif isinstance(value, property | types.GetSetDescriptorType | types.MemberDescriptorType):
            yield Entry(f"{name}.{attribute}", value, "property")


def signature(entry: Entry) -> str:
    """Parameters as they are written, or nothing where Python does not know them."""
    try:
        found = inspect.signature(entry.object)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return "(…)"
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in found.parameters.values()
        if not (entry.kind == "method" and parameter.name in ("self", "cls"))
    ]
    text = str(inspect.Signature(bare))
    return (
        text.replace("<object object at 0x", "<default at 0x")
        .replace("(self, /, ", "(")
        .replace("(self, ", "(")
    )
