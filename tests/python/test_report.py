"""The report of a function: its data, its size, and the page itself in a browser, if Chromium and playwright are here."""

from __future__ import annotations

import functools
import importlib.util
import json
import re
import shutil

import numpy as np
import pytest

import graphwright as gw
from graphwright import _report
from graphwright._report import _nodes, _source

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
HAS_PLAYWRIGHT = importlib.util.find_spec("playwright") is not None


def activate(x):
    return gw.tanh(x) * 0.5 + x


@gw.function
def train(x, w, target):
    step = 0
    while step < 20:
        error = gw.reduce_mean(activate(x @ w), axis=1) - target
        if gw.reduce_mean(error * error) < 1e-4:
            break
        w = w - 0.01 * (gw.transpose(x) @ gw.expand_dims(error, 1))
        step += 1
    return w


@gw.function(implicit_copies="allow")
def hosted(x):
    y = gw.numpy_function(np.sort, [gw.sqrt(x)], gw.TensorSpec([None], gw.float64))
    return gw.reduce_sum(y[:3])


def arguments():
    generator = np.random.default_rng(0)
    return [gw.constant(generator.random(shape)) for shape in ((64, 16), (16, 8), (64,))]


@functools.cache
def trained():
    """The report that several tests look at."""
    return train.report(*arguments())


def lines_with(report, text):
    """The keys of the source lines that a text stands in."""
    found = []
    for number, file in enumerate(report.data["files"]):
        for lineno, tokens in file["lines"]:
            if text in "".join(token for _, token in tokens):
                found.append(f"{number}:{lineno}")
    return found


def test_each_node_stands_at_its_line():
    report = trained()
    [line] = lines_with(report, "x @ w")
    nodes = {node["id"]: node for node in report.data["nodes"]}
    ops = {nodes[node]["op"] for node, (key, *_) in report.data["spans"].items() if key == line}
    assert {"matmul", "sub"} <= ops
    [inside] = lines_with(report, "gw.tanh")
    assert "tanh" in {nodes[n]["op"] for n, (key, *_) in report.data["spans"].items() if key == inside}


def test_spans_are_the_expressions():
    report = trained()
    nodes = {node["id"]: node["op"] for node in report.data["nodes"]}
    texts = {
        f"{at}:{no}": "".join(t for _, t in ts)
        for at, f in enumerate(report.data["files"])
        for no, ts in f["lines"]
    }
    found = {texts[key][a:b] for node, (key, a, b) in report.data["spans"].items() if nodes[node] == "tanh"}
    assert found == {"gw.tanh(x)"}


def test_lines_have_their_times():
    report = trained()
    times = report.data["times"]
    assert times["call"] > 0 and times["calls"] > 1
    assert sum(times["lines"].values()) <= times["call"] * 1.001
    assert sum(times["nodes"].values()) == pytest.approx(times["call"], rel=0.01)
    assert str(report).startswith("train(")


def test_types_alone_are_not_run():
    calls = []

    @gw.function
    def noted(x):
        gw.py_function(lambda: calls.append(1), [], [])
        return x

    report = noted.report(gw.TensorSpec([3], gw.float32))
    assert report.data["times"]["call"] is None and calls == []


def test_effects_happen_once():
    total = gw.Variable(0.0)

    @gw.function
    def add(x):
        total.assign_add(x)
        return total.read_value()

    report = add.report(gw.constant(1.0))
    assert float(total.numpy()) == 1.0
    assert report.data["times"]["how"] == "one call: the function has effects"


def test_a_function_that_prints_does_so_once(capfd):
    @gw.function
    def told(x):
        gw.print("told", x)
        return x + 1.0

    report = told.report(gw.constant(1.0))
    out, err = capfd.readouterr()
    assert (out + err).count("told") == 1
    assert report.data["times"]["how"] == "one call: the function has effects"


@gw.function
def incremented(x):
    for i in range(len(x)):
        x[i] += 1.0
    return gw.reduce_sum(x)


@pytest.mark.parametrize("steps", [1, 2])
def test_arguments_are_stored_into_once(steps):
    x = np.zeros(8)
    report = incremented.report(x[::steps])
    assert x[::steps].tolist() == [1.0] * (8 // steps)
    assert report.data["times"]["calls"] > 1


def test_tensors_are_stored_into_once():
    x = gw.zeros([4])
    report = incremented.report(x=x)
    assert x.numpy().tolist() == [1.0] * 4 and report.data["times"]["calls"] > 1
    assert report.data["arrays"] == []


def test_objects_around_are_changed_once():
    log = []

    @gw.function
    def noted(x):
        log.append(x)
        return x

    report = noted.report(gw.constant(1.0))
    assert len(log) == 1 and report.data["times"]["how"] == "one call: the function has effects"


def test_a_function_that_raises_has_a_page():
    @gw.function
    def positive(x):
        if x < 0:
            raise ValueError("negative")
        return gw.sqrt(x)

    report = positive.report(gw.constant(-1.0))
    assert "sqrt" in {node["op"] for node in report.data["nodes"]}
    assert report.data["times"]["how"] == "no times: the call raises ValueError: negative"
    assert "the call raises" in report.html


class Derived(np.ndarray):
    """Arrays of a class of their own."""


@gw.function
def added(total, x):
    for i in range(len(total)):
        total[i] += x[i]
    return total


@pytest.mark.parametrize(
    ("x", "memory"),
    [
        (np.zeros(4), "read where it is"),
        (np.zeros(8)[::2], "copied by each call: its elements are spread in memory"),
        (np.zeros(4, ">f8"), "copied by each call: its bytes are in another order"),
        (np.zeros(4, "float16"), "copied by each call: its numbers are of half precision"),
        (np.zeros(4).view(Derived), "copied by each call: its class is derived from NumPy's"),
    ],
)
def test_the_memory_of_arrays_is_told(x, memory):
    total = np.zeros(4)
    rows = {row[0]: row for row in added.report(total, x).data["arrays"]}
    assert rows["x"][2:] == [f"{x.nbytes}", memory]
    is_lent = memory.endswith(("read where it is", "spread in memory"))
    copied = "copied in and back by each call: another array of the call is copied"
    assert rows["total"] == ["total", "float64[4]", "32", "stored into where it is" if is_lent else copied]


def test_arrays_that_come_by_name_alone_are_copied():
    @gw.function
    def doubled(*, x):
        return x + x

    [row] = doubled.report(x=np.zeros(4)).data["arrays"]
    assert row[3] == "copied by each call: the call finds its graph by types"


def test_the_memory_of_types_is_unknown():
    typed = added.report(*[gw.TensorSpec([4], gw.float64)] * 2)
    assert typed.data["arrays"] is None and "Unknown: the arguments are types." in typed.html


def test_copies_and_retraces_are_told():
    report = hosted.report(gw.constant(np.arange(100.0)))
    kinds = [row[0] for row in report.data["transfers"]]
    assert kinds == ["to the host", "to the graph"]
    [line] = lines_with(report, "np.sort")
    assert len(report.data["copies"][line]) == 2 and "800 bytes to the host" in report.data["copies"][line][0]
    hosted(gw.constant(np.arange(7.0)))
    again = hosted.report(gw.constant(np.arange(100.0)))
    assert again.data["traces"] == 2 and len(again.data["retraces"]) == 1


def test_methods_and_arguments_by_name():
    class Model:
        def __init__(self):
            self.scale = gw.constant(2.0)

        @gw.function
        def apply(self, x, *, power):
            return self.scale * x**power

    report = Model().apply.report(gw.constant(3.0), power=gw.constant(2.0))
    assert report.data["name"] == "apply" and report.data["times"]["call"] > 0


def test_a_page_loads_nothing_and_is_small():
    report = trained()
    page = report.html
    assert len(page.encode()) < 300_000
    assert not re.search(r'(src|href)="', page) and "@import" not in page and "url(" not in page
    assert "default-src 'none'" in page
    assert "<iframe srcdoc=" in report._repr_html_()


def test_text_of_the_program_ends_no_script():
    @gw.function
    def awkward(x):
        return x + 1.0  # </script><script>alert(1)</script> <!--<script>

    page = awkward.report(gw.constant(1.0)).html
    assert page.count("</script>") == 3
    assert page.count("<script") == 3
    assert "<!--<" not in page


def test_text_of_the_program_leaves_the_page_drawn(browser, tmp_path):
    @gw.function
    def awkward(x):
        return x + 1.0  # <!--<script> </script>

    file = awkward.report(gw.constant(1.0)).save(tmp_path / "awkward.html")
    page = browser.new_page()
    page.goto(file.as_uri())
    assert "<!--<script> </script>" in page.inner_text("body")
    assert page.locator("svg").count() > 0
    page.close()


def test_a_page_of_a_large_graph_is_cut(monkeypatch):
    @gw.function(roll=False)
    def large(x):
        for i in range(400):
            x = gw.sin(x) * float(i) + x
        return x

    report = large.report(gw.TensorSpec([8, 8], gw.float64))
    whole = len(report.html.encode())
    monkeypatch.setattr(_report, "MOST", whole // 2)
    assert whole // 4 < len(report.html.encode()) <= whole // 2 and '"cut":' in report.html
    assert whole < 300_000 and '"cut":' not in json.dumps(report.data)


def test_a_graph_is_cut_with_its_nodes():
    data = {**trained().data, "loops": []}
    cut = _report._shorter(data)
    assert 0 < len(cut["graph"]) < len(data["graph"])
    known = {node["id"] for node in cut["nodes"]}
    assert set(cut["spans"]) <= known < {node["id"] for node in data["nodes"]}


def test_carries_and_parents_are_read():
    lines = trained().data["graph"]
    nodes = _nodes.nodes([(text, node, None) for text, node, _ in lines])
    [loop] = [node for node in nodes if node["op"] == "while"]
    assert loop["carries"] and all(len(pair) == 2 for pair in loop["carries"])
    inside = [node for node in nodes if node["parent"] == loop["id"]]
    assert {node["part"] for node in inside} == {0, 1}
    assert {node["op"] for node in nodes if node["id"] < 0} == {"param", "yield", "return"}


def test_lines_are_cut_at_tokens(tmp_path):
    path = tmp_path / "tokens.py"
    path.write_text('x = f("é", 1)  # é\n"""a\nb"""\n')
    found = _source.coloured(str(path))
    assert ["s", '"é"'] in found[1] and ["n", "1"] in found[1] and ["c", "# é"] in found[1]
    assert found[2] == [["s", '"""a']] and found[3] == [["s", 'b"""']]
    assert _source.characters("é = 1", 3) == 2


def test_an_empty_file_has_no_colours(tmp_path):
    assert _source.coloured(str(tmp_path / "nothing.py")) == {}


@pytest.fixture(scope="module")
def browser():
    if BROWSER is None or not HAS_PLAYWRIGHT:
        pytest.skip(
            "the page is NOT tested in a browser: it takes Chromium (Debian: chromium) and pip's playwright"
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser, tmp_path):
    report = trained()
    file = report.save(tmp_path / "train.html")
    context = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    page.report, page.wrong, page.asked = report, [], []
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.on("console", lambda message: page.wrong.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: page.asked.append(request.url))
    page.goto(file.as_uri())
    yield page
    assert page.wrong == []
    assert page.asked == [file.as_uri()]
    context.close()


def test_pointing_at_a_line_shows_its_operations(page):
    [line] = lines_with(page.report, "x @ w")
    page.hover(f'#source [data-line="{line}"] .no')
    lit = page.locator("#picture g.on")
    texts = " ".join(lit.all_text_contents())
    assert "matmul" in texts and "sub" in texts and "tanh" not in texts
    assert page.locator("#source .row.on").count() == 1
    assert page.locator("#source .span").count() >= 2
    assert "line" in page.text_content("#status")
    page.mouse.move(2, 2)
    assert page.locator(".on").count() == 0


def test_pointing_at_an_operation_shows_its_line(page):
    page.locator("#picture g.leaf", has_text="tanh").first.hover()
    [line] = lines_with(page.report, "gw.tanh")
    assert page.locator("#source .row.on").get_attribute("data-line") == line
    assert page.locator("#picture path.on").count() >= 2


def test_a_click_keeps_and_escape_lets_go(page):
    page.locator("#picture g.leaf", has_text="tanh").first.click()
    page.hover("h1")
    assert page.locator("#source .row.pinned").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".pinned").count() == 0


def test_loops_are_shown_on_demand_and_linked(page):
    assert page.locator("#loops .row").count() == 0
    page.click("#show-loops")
    assert page.locator("#loops .row").count() == len(page.report.data["loops"])
    [line] = lines_with(page.report, "x @ w")
    page.hover(f'#source [data-line="{line}"] .no')
    texts = page.locator("#loops .row.on").all_text_contents()
    assert any("matmul" in text for text in texts)
    page.click("#show-loops")
    assert page.is_hidden("#loops-panel")


def test_search_finds_and_goes_on(page):
    page.keyboard.press("/")
    page.keyboard.type("reduce_sum")
    count = int(page.text_content("#hits").split()[0])
    assert count == page.locator("#picture g.hit").count() >= 2
    page.keyboard.press("Enter")
    page.fill("#search", "no such thing")
    assert page.text_content("#hits") == "0 hits" and page.locator(".hit").count() == 0
    page.click("#show-text")
    page.fill("#search", "yield")
    assert page.locator("#text .row.hit").count() >= 2


def test_zoom(page):
    def width():
        return page.locator("#picture svg").bounding_box()["width"]

    first = width()
    page.click("#zoom-in")
    assert width() == pytest.approx(first * 1.25, rel=0.01)
    page.click("#zoom-out")
    page.click("#zoom-out")
    assert width() < first
    page.click("#zoom-fit")
    assert width() == pytest.approx(first, rel=0.01)
    page.click("#show-text")
    page.click("#zoom-in")
    assert float(page.evaluate("parseFloat(document.querySelector('#text .code').style.fontSize)")) > 13


def test_the_keyboard_goes_through_the_lines(page):
    page.focus("#source")
    page.keyboard.press("ArrowDown")
    first = page.locator("#source .row.pinned").get_attribute("data-line")
    page.keyboard.press("ArrowDown")
    assert page.locator("#source .row.pinned").get_attribute("data-line") != first


def test_a_narrow_and_dark_screen(browser, tmp_path):
    file = trained().save(tmp_path / "train.html")
    context = browser.new_context(viewport={"width": 400, "height": 800}, color_scheme="dark")
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 22, 29)"
    context.close()


def test_names_and_contrast(page):
    unnamed = page.evaluate(
        "[...document.querySelectorAll('button, input')].filter(e => !e.textContent.trim()"
        " && !e.getAttribute('aria-label') && !e.labels?.length).length"
    )
    assert unnamed == 0
    ratio = page.evaluate(CONTRAST)
    assert ratio >= 4.5, ratio


#: The least contrast of a text of the page with what is behind it, by WCAG's formula.
CONTRAST = """() => {
  const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const level = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  let least = 21;
  for (const element of document.querySelectorAll('header *, #facts *, h2, h2 *, .row span, #status, td, th, p')) {
    if (!element.textContent.trim() || !element.offsetParent) continue;
    const [a, b] = [level(parse(getComputedStyle(element).color)), level(behind(element))].sort((x, y) => y - x);
    least = Math.min(least, (a + 0.05) / (b + 0.05));
  }
  return least;
}"""
