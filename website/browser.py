"""Checks the built site in a browser: contrast, narrow screens, the keyboard, search from the disk, no request.

`python -m website.browser` needs `pip install playwright` and a Chromium (`CHROMIUM` names it). Pages are opened from the
disk, so that a request to any host is a fault.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from typing import Any

from website.checks import SITE

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")

#: Pages of each kind; the script of `CONTRAST` looks at each text of them.
PAGES = (
    "index.html",
    "start/quickstart.html",
    "start/first-hour.html",
    "tutorials/training.html",
    "concepts/dispatch.html",
    "from/jax.html",
    "reference/index.html",
    "reference/graphwright.linalg.html",
    "python/index.html",
    "diagnostics/GW101.html",
    "python/if.html",
    "benchmarks.html",
    "glossary.html",
)

#: Texts whose contrast with their ground is too low, by WCAG 2.1: 4.5 to 1, and 3 to 1 for large ones.
CONTRAST = """() => {
  const value = (text) => { const n = text.match(/[\\d.]+/g).map(Number); return n.length > 3 ? n : [...n, 1]; };
  const light = ([r, g, b]) => [r, g, b].map(c => { c /= 255; return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; })
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  const over = (top, under) => top.slice(0, 3).map((c, i) => c * top[3] + under[i] * (1 - top[3]));
  const ground = (element) => {
    const chain = [];
    for (let e = element; e; e = e.parentElement) chain.push(value(getComputedStyle(e).backgroundColor));
    return chain.reverse().reduce((under, top) => over(top, under), [255, 255, 255]);
  };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    if (element.closest(".md-search, script, style, .md-top, .headerlink, .md-nav__link--passed")) continue;
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    const under = ground(element), text = over(value(style.color), under);
    const [a, b] = [light(text), light(under)].sort((x, y) => y - x);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && +style.fontWeight >= 700);
    const ratio = (a + .05) / (b + .05);
    if (ratio < (large ? 3 : 4.5)) found.add(`${element.tagName}.${element.className}: ${ratio.toFixed(2)} (${style.color})`);
  }
  return [...found];
}"""

#: Elements that are wider than the screen and cannot be scrolled by themselves.
WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def findings(browser: Any) -> list[str]:
    """One line for each fault."""
    found = []
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900})
        for name in PAGES:
            page = opened(context, name, found)
            found += [f"{name}, {scheme}: contrast of {text}" for text in page.evaluate(CONTRAST)]
            page.close()
        context.close()
    context = browser.new_context(viewport={"width": 360, "height": 740})
    for name in PAGES:
        page = opened(context, name, found)
        if (more := page.evaluate(WIDE)) > 0:
            found.append(f"{name}: {more} pixels wider than a screen of 360")
        page.close()
    context.close()
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    found += keyboard(opened(context, "start/quickstart.html", found))
    found += search(opened(context, "index.html", found))
    context.close()
    return found


def opened(context: Any, name: str, found: list[str]) -> Any:
    """A page from the disk; requests to a host are faults."""
    page = context.new_page()
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith(("file:", "data:", "blob:"))
            else found.append(f"{name}: asks {request.url}")
        ),
    )
    page.on("pageerror", lambda error: found.append(f"{name}: {error}"))
    page.goto((SITE / name).as_uri())
    page.wait_for_timeout(150)
    return page


def keyboard(page: Any) -> list[str]:
    """The first press of Tab reaches the link to the content, later ones show where they are."""
    page.keyboard.press("Tab")
    first = page.evaluate("() => document.activeElement.className")
    found = (
        []
        if "md-skip" in first
        else [f"the first press of Tab reaches `{first}`, not the link to the content"]
    )
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "() => document.activeElement.getAttribute('href') || document.activeElement.tagName"
            )
        )
    if len(reached) < 15:
        found.append(f"40 presses of Tab reach {len(reached)} elements")
    return found


def search(page: Any) -> list[str]:
    """A word of the reference is found without a server."""
    page.click("label.md-search__icon[for=__search], input.md-search__input", force=True)
    page.keyboard.type("logsumexp", delay=20)
    try:
        page.wait_for_selector(
            ".md-search-result__item a[href*='reference/']", timeout=15000, state="attached"
        )
    except Exception as error:
        return [f"the search finds nothing: {type(error).__name__}"]
    return []


def main() -> int:
    """Prints the faults."""
    if CHROMIUM is None or importlib.util.find_spec("playwright") is None:
        print(
            "the site is NOT checked in a browser: it takes Chromium (Debian: chromium) and pip's playwright"
        )
        return 0
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        found = findings(browser)
        browser.close()
    print("\n".join(dict.fromkeys(found)))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
