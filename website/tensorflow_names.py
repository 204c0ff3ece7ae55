"""Compares the names of TensorFlow with ours and writes `docs/from/tensorflow-names.md`.

`tensorflow_names.json` holds TensorFlow's public names by namespace, and by guide the names that the guide uses.
`tensorflow_examples.json` holds the names in examples of the API reference, which `tensorflow_examples.py` counts.
`python -m website.tensorflow_names` writes the page.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import graphwright as gw
from graphwright._tensorflow import absent

FACTS = Path(__file__).with_name("tensorflow_names.json")
EXAMPLES = Path(__file__).with_name("tensorflow_examples.json")
PAGE = Path(__file__).parent.parent / "docs" / "from" / "tensorflow-names.md"

HEAD = """# Names of TensorFlow

`import graphwright as tf` gives the names of this page. An absent name raises an `AttributeError` that says what to use.

```py
import graphwright as tf

try:
    tf.nn.ctc_greedy_decoder
except AttributeError as error:
    print(error)
```

```text
{message}
```
"""


@cache
def facts() -> dict[str, Any]:
    """Names by namespace and by guide."""
    found: dict[str, Any] = json.loads(FACTS.read_text(encoding="utf-8"))
    return found


def is_present(name: str) -> bool:
    """True if we have a name of TensorFlow's, `tf.nn.relu`."""
    found: Any = gw
    for part in name.split(".")[1:]:
        try:
            found = getattr(found, part)
        except AttributeError:
            return False
    return True


def uses() -> Counter[str]:
    """The number of guides that use each name."""
    return Counter(name for names in facts()["guides"].values() for name in names)


def share() -> float:
    """The share of uses in guides of names that we have."""
    counted = uses()
    return sum(count for name, count in counted.items() if is_present(name)) / sum(counted.values())


#: Parts of TensorFlow that have no meaning here, with the reason.
LEFT_OUT = {
    "tf.compat": "names of TensorFlow 1, of sessions and placeholders",
    "tf.distribute": "strategies of devices and servers; `gw.distribute` has its own",
    "tf.tpu": "accelerators of one maker",
    "tf.data.experimental.service": "servers of data",
    "tf.data.experimental.distributed_save": "servers of data",
    "tf.data.experimental.AutoShardPolicy": "servers of data",
    "tf.saved_model": "a format of TensorFlow's graphs; `gw.train.Checkpoint` keeps variables, `str(concrete.graph)` a graph",
    "tf.config.experimental_connect_to_cluster": "servers",
    "tf.config.experimental_connect_to_host": "servers",
    "tf.config.experimental": "memory and settings of accelerators",
    "tf.config.LogicalDeviceConfiguration": "parts of devices",
    "tf.config.set_logical_device_configuration": "parts of devices",
    "tf.config.get_logical_device_configuration": "parts of devices",
    "tf.VariableAggregation": "variables on several devices",
    "tf.VariableSynchronization": "variables on several devices",
    "tf.feature_column": "deprecated by TensorFlow for Keras's layers",
    "tf.queue": "queues of threads of TensorFlow 1; `gw.data` reads ahead",
    "tf.test": "tests of TensorFlow itself; `unittest` and `pytest` are there",
    "tf.raw_ops": "kernels of TensorFlow",
    "tf.__internal__": "private",
    "tf.mlir": "the compiler of TensorFlow",
    "tf.xla": "the compiler of TensorFlow",
    "tf.lite": "the format of a runtime for phones",
    "tf.sysconfig": "flags for building against TensorFlow",
    "tf.quantization": "numbers of 8 bits for phones",
    "tf.experimental.tensorrt": "the compiler of one maker",
    "tf.experimental.async_scope": "remote calls",
    "tf.experimental.async_clear_error": "remote calls",
    "tf.profiler.experimental": "the profiler of TensorFlow; `gw.profiler` is ours",
    "tf.train.ClusterSpec": "servers",
    "tf.train.experimental": "sharded checkpoints and their hooks",
    "tf.lookup.experimental": "resources on servers",
    "tf.debugging.experimental": "the debugger of TensorFlow",
    "tf.keras.datasets": "downloads; read the arrays by NumPy or pandas",
    "tf.keras.applications": "downloads; take the weights from Keras: `layer.set_weights(other.get_weights())`",
    "tf.keras.backend": "names of Keras 1, which Keras 3 no longer documents",
    "tf.keras.distribute": "servers",
    "tf.keras.callbacks.OrbaxCheckpoint": "a package of JAX",
    "tf.keras.config.set_backend": "the library beneath Keras",
}


@cache
def examples() -> dict[str, dict[str, int]]:
    """The number of docstrings with each name, by part of the API reference."""
    found: dict[str, dict[str, int]] = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return {part: counts for part, counts in found.items() if part != "versions"}


def left_out(name: str) -> str | None:
    """The part without a meaning here that a name is in."""
    parts = [part for part in LEFT_OUT if name == part or name.startswith(f"{part}.")]
    return None if is_present(name) or not parts else max(parts, key=len)


def meant(part: str) -> Counter[str]:
    """The uses in a part of the reference, without what has no meaning here."""
    return Counter({name: count for name, count in examples()[part].items() if left_out(name) is None})


def present(counted: Counter[str]) -> int:
    """The uses of names that we have."""
    return sum(count for name, count in counted.items() if is_present(name))


def share_of_examples() -> float:
    """The share of uses in all examples of names that we have, without what has no meaning here."""
    every = [meant(part) for part in examples()]
    return sum(map(present, every)) / sum(sum(one.values()) for one in every)


def share_of_all() -> float:
    """The share of uses in all examples of names that we have."""
    every = [Counter(counts) for counts in examples().values()]
    return sum(map(present, every)) / sum(sum(one.values()) for one in every)


def reference() -> str:
    """A table of the parts of the API reference."""
    rows = [
        "| examples | uses | present | share | with a meaning here | present | share |",
        "|---|---|---|---|---|---|---|",
    ]
    for part, counts in examples().items():
        counted = meant(part)
        total, found = sum(counted.values()), present(counted)
        told = part.replace("tensorflow", "TensorFlow,").replace("keras", "Keras,")
        told = told.replace("prompts", "behind prompts").replace("fences", "between fences")
        every = sum(counts.values())
        rows.append(
            f"| {told} | {every} | {found} | {100 * found / every:.1f} % | {total} | {found} | {100 * found / total:.1f} % |"
        )
    return "\n".join(rows)


def absent_of_examples() -> str:
    """A table of the absent names of examples, the most used first."""
    every: Counter[str] = sum((meant(part) for part in examples()), Counter())
    rows = ["| name | uses | instead |", "|---|---|---|"]
    for name, count in sorted(every.items(), key=lambda pair: (-pair[1], pair[0])):
        if not is_present(name):
            rows.append(f"| `{name}` | {count} | {absent.remedy(name[3:]) or 'absent'} |")
    return "\n".join(rows)


def without_meaning() -> str:
    """A table of the parts that are left out."""
    counted: Counter[str] = Counter()
    for counts in examples().values():
        for name, count in counts.items():
            if (part := left_out(name)) is not None:
                counted[part] += count
    rows = ["| part | uses | reason |", "|---|---|---|"]
    rows += [f"| `{part}` | {counted[part]} | {LEFT_OUT[part]} |" for part in sorted(counted)]
    return "\n".join(rows)


def guides() -> str:
    """A table of the guides."""
    rows = ["| guide | names | present |", "|---|---|---|"]
    for guide, names in sorted(facts()["guides"].items()):
        rows.append(f"| {guide.replace('_', ' ')} | {len(names)} | {sum(map(is_present, names))} |")
    return "\n".join(rows)


def missing() -> str:
    """A table of the names that guides use and that are absent."""
    rows = ["| name | guides | instead |", "|---|---|---|"]
    for name, count in sorted(uses().items(), key=lambda pair: (-pair[1], pair[0])):
        if not is_present(name):
            rows.append(f"| `{name}` | {count} | {absent.remedy(name[3:]) or 'absent'} |")
    return "\n".join(rows)


def namespaces() -> str:
    """A table of the namespaces."""
    rows = ["| namespace | names | present | absent |", "|---|---|---|---|"]
    for space, names in facts()["namespaces"].items():
        left = [name for name in names if not is_present(f"{space}.{name}")]
        shown = ", ".join(f"`{name}`" for name in left[:200])
        rows.append(f"| `{space}` | {len(names)} | {len(names) - len(left)} | {shown} |")
    return "\n".join(rows)


def page() -> str:
    """The page."""
    try:
        message = str(gw.nn.ctc_greedy_decoder)  # type: ignore[attr-defined]
    except AttributeError as error:
        message = str(error)
    counted = uses()
    versions = json.loads(EXAMPLES.read_text(encoding="utf-8"))["versions"]
    return "\n".join(
        [
            HEAD.format(message=message),
            "## Examples of the API reference",
            "",
            f"TensorFlow {versions['tensorflow']} and Keras {versions['keras']} have examples in their docstrings, which are the API reference: behind",
            "prompts (`>>> `) and between fences. A script reads the installed sources and counts each public name once for each",
            f"docstring. {100 * share_of_examples():.1f} % of the uses that have a meaning here are of names that Graphwright has, {100 * share_of_all():.1f} % of all. Presence",
            "says that the name exists, not that it takes each argument.",
            "",
            reference(),
            "",
            "### Absent names of examples",
            "",
            absent_of_examples(),
            "",
            "### Parts without a meaning here",
            "",
            without_meaning(),
            "",
            "## Guides",
            "",
            f"The list of names by guide has {len(counted)} names in {sum(counted.values())} uses, a name once for each guide.",
            f"{100 * share():.1f} % of these uses are of names that Graphwright has. The list was written by hand, not extracted from the",
            "text of the guides. Presence says that the name exists, not that it takes each argument.",
            "",
            guides(),
            "",
            "## Absent names of guides",
            "",
            missing(),
            "",
            "## All names",
            "",
            namespaces(),
            "",
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
