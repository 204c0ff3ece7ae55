"""Compares the names of TensorFlow with ours and writes `docs/from/tensorflow-names.md`.

`tensorflow_names.json` holds TensorFlow's public names by namespace, and by guide the names that the guide uses.
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
    return "\n".join(
        [
            HEAD.format(message=message),
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
