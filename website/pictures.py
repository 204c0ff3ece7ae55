"""Draws the pictures of `docs/pictures/`: `python -m website.pictures` writes them anew."""

from __future__ import annotations

from pathlib import Path

from website.drawing import Drawing

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"


def journey() -> Drawing:
    """From the source by the graph to the speed: the picture of the README."""
    d = Drawing(
        980,
        330,
        "Source, graph and native code of one function",
        "A Python function with a while loop becomes a graph whose while holds the same loop, and the graph "
        "becomes machine code that runs 34 times as fast as Python.",
    )
    d.text(150, 32, "Python source", weight="600", size=16)
    d.box(14, 46, 280, 226, "", "host")
    source = [
        "@gw.function",
        "def collatz(n):",
        "    steps = 0",
        "    while n != 1:",
        "        if n % 2 == 0:",
    ]
    source += ["            n = n // 2", "        else:", "            n = 3 * n + 1", "        steps += 1"]
    d.code(30, 74, [*source, "    return steps"])
    d.arrow((298, 158), (346, 158))
    d.text(487, 32, "one typed graph", weight="600", size=16)
    d.box(350, 46, 276, 226, "", "graph")
    graph = [
        "func @collatz(%n: i32[])",
        "while (n, steps) {",
        "  yield n ≠ 1",
        "} do {",
        "  cond n mod 2 = 0",
    ]
    graph += ["    { n floor_div 2 }", "    else { 3·n + 1 checked }", "  steps + 1", "}", "return steps"]
    d.code(366, 74, graph)
    d.arrow((630, 158), (678, 158))
    d.text(822, 32, "native code", weight="600", size=16)
    d.box(682, 46, 284, 226, "", "native")
    d.text(824, 76, "Collatz lengths below 200,000", size=14)
    for row, (name, width, color, told) in enumerate(
        [("Python", 236, "#9a6400", "1.56 s"), ("Graphwright", 7, "#22723a", "45.9 ms")]
    ):
        top = 96 + row * 72
        d.text(702, top + 14, name, anchor="start", weight="600")
        d.bar(702, top + 22, width, 22, color)
        d.text(
            702 + max(width - 236, 0) + (14 if row else 128),
            top + 38,
            told,
            anchor="start" if row else "middle",
            color="#1b1f27" if row else "#ffffff",
            weight="600",
        )
    d.text(824, 254, "34 times as fast", weight="700", size=17, color="#0f3d1d")
    d.text(
        490,
        306,
        "Loops, branches, exceptions and containers stay as you wrote them; errors show your lines.",
        size=15,
    )
    return d


def dispatch() -> Drawing:
    """A call finds its graph, or makes it."""
    d = Drawing(
        940,
        300,
        "Dispatch of a call",
        "A call looks up the trace type of its arguments, then checks the guards. If both fit, the graph runs. "
        "Otherwise the function is converted once, traced and compiled, and then runs.",
    )
    d.box(20, 40, 110, 52, "call f(x)", "host")
    d.box(180, 30, 200, 72, "is there a graph for\nthese trace types?", "question")
    d.box(440, 30, 210, 72, "do the guards hold?\nglobals, closure, attributes", "question")
    d.box(730, 40, 180, 52, "run native code", "native")
    d.arrow((130, 66), (180, 66))
    d.arrow((380, 66), (440, 66), label="yes")
    d.arrow((650, 66), (730, 66), label="yes")
    d.box(60, 200, 190, 62, "convert the source\n(once per function)", "host")
    d.box(320, 200, 210, 62, "trace: run it once with\nplaceholders for tensors", "graph")
    d.box(600, 200, 200, 62, "optimise and compile\nthe graph", "native")
    d.arrow((280, 102), (280, 160), (155, 160), (155, 200), label="no", at=(296, 130))
    d.arrow((545, 102), (545, 160), (425, 160), (425, 200), label="no", at=(561, 130))
    d.arrow((250, 231), (320, 231))
    d.arrow((530, 231), (600, 231))
    d.arrow((800, 231), (820, 231), (820, 92))
    d.text(
        470, 288, "A cached call takes about half a microsecond; the lower row takes one to two milliseconds."
    )
    return d


def tracing() -> Drawing:
    """Python decides while tracing, the graph decides when it runs."""
    d = Drawing(
        940,
        300,
        "Tracing a function",
        "Each line of a function beside the place where it is decided: tests on Python values are decided "
        "while tracing and leave nothing behind, tests on tensors become cond and while in the graph.",
    )
    d.text(210, 34, "the function", weight="600", size=16)
    lines = [
        "@gw.function",
        "def f(x, verbose):",
        "    if verbose:",
        '        print("tracing")',
        "    y = x * 2",
    ]
    lines += [
        "    if gw.reduce_sum(y) > 0:",
        "        y = y + 1",
        "    for i in gw.range(10):",
        "        y = y * 0.5",
    ]
    marks = [(2, "host"), (3, "host"), (4, "graph"), (5, "graph"), (6, "graph"), (7, "graph"), (8, "graph")]
    d.code(60, 66, [*lines, "    return y"], marks=marks)
    d.area(420, 50, 490, 74, "decided by Python, while tracing", "host")
    d.text(440, 96, "verbose is a bool: the branch is taken or left now,", anchor="start")
    d.text(440, 114, "and the graph holds nothing of the test", anchor="start")
    d.area(420, 142, 490, 112, "part of the graph, decided when it runs", "graph")
    d.text(440, 188, "mul %x, 2", anchor="start", mono=True)
    d.text(440, 210, "cond %positive { add %y, 1 } else { yield %y }", anchor="start", mono=True)
    d.text(440, 232, "while (%i, %y) { … } do { mul %y, 0.5 }", anchor="start", mono=True)
    d.arrow((330, 104), (418, 92))
    d.arrow((330, 180), (418, 196))
    d.text(
        470,
        284,
        "The dependency on a tensor decides, not a special function: native if, while and for on both sides.",
    )
    return d


def carries() -> Drawing:
    """Values that a loop hands from one iteration to the next."""
    d = Drawing(
        940,
        290,
        "Carries of a loop",
        "A while loop of the graph takes initial values of its carries, tests them, computes the next values "
        "in its body, and gives the last values out.",
    )
    d.code(
        30,
        60,
        ["total, n = 0.0, x", "while n > 1.0:", "    total = total + n", "    n = n / 2.0", "return total"],
    )
    d.text(120, 190, "total and n are assigned in the", size=14)
    d.text(120, 209, "body and needed later: carries", size=14)
    d.box(280, 50, 150, 60, "initial values\ntotal = 0.0, n = x", "graph")
    d.area(480, 24, 250, 216, "while", "graph")
    d.box(510, 60, 190, 50, "test: n > 1.0", "question")
    d.box(510, 160, 190, 60, "body\ntotal + n,  n / 2.0", "graph")
    d.box(780, 50, 140, 60, "result\nlast total", "native")
    d.arrow((430, 80), (510, 80))
    d.arrow((605, 110), (605, 160), label="true", at=(626, 140))
    d.arrow((700, 80), (780, 80), label="false")
    d.arrow((510, 190), (494, 190), (494, 98), (510, 98))
    d.text(
        470,
        272,
        "A carry keeps its kind, dtype and rank; lengths may vary. A Python number becomes a tensor where it is carried.",
    )
    return d


def guards() -> Drawing:
    """Everything that a function reads is compared before a graph is run again."""
    d = Drawing(
        940,
        270,
        "Guards",
        "While tracing, each global, closure variable, attribute and item that the function reads is recorded. "
        "Before each call the recorded values are compared; a change makes another graph.",
    )
    d.code(
        30,
        60,
        ["rate = 0.2", "", "@gw.function", "def paid(x):", "    return x * rate + model.bias"],
        marks=[(4, "graph")],
    )
    d.box(340, 36, 230, 50, "global rate is 0.2", "graph")
    d.box(340, 104, 230, 50, "model.bias is 1.0", "graph")
    d.box(340, 172, 230, 50, "the code of paid is the same", "graph")
    d.arrow((260, 130), (338, 61))
    d.arrow((260, 134), (338, 129))
    d.arrow((260, 138), (338, 197))
    d.box(660, 50, 250, 56, "all as they were:\nrun the graph", "native")
    d.box(660, 150, 250, 56, "one has changed:\ntrace again and say which", "host")
    d.arrow((570, 129), (615, 129), (615, 78), (660, 78))
    d.arrow((570, 129), (615, 129), (615, 178), (660, 178))
    d.text(
        470,
        254,
        "Variables and tensors are inputs of the graph: another value of theirs needs no other graph.",
    )
    return d


def host_and_graph() -> Drawing:
    """Values cross between Python and the graph at calls alone."""
    d = Drawing(
        940,
        300,
        "Host and graph",
        "The host is Python, the graph is native code. Arguments go in, results come out, and a call of a host "
        "function sends values to Python and receives its answer in the middle of the graph.",
    )
    d.area(30, 30, 350, 220, "host: Python", "host")
    d.area(560, 30, 350, 220, "graph: native code", "graph")
    d.box(60, 70, 290, 40, "y = f(x)", "plain", mono=True)
    d.box(60, 132, 290, 40, "@gw.host def note(loss) -> None", "plain", mono=True)
    d.box(60, 194, 290, 40, "y", "plain", mono=True)
    d.box(590, 70, 290, 40, "for step in gw.range(1000):", "plain", mono=True)
    d.box(590, 132, 290, 40, "    note(loss)", "plain", mono=True)
    d.box(590, 194, 290, 40, "return y", "plain", mono=True)
    d.arrow((350, 90), (590, 90), label="arguments")
    d.arrow((590, 145), (350, 145), label="send loss, 4 bytes")
    d.arrow((350, 163), (590, 163))
    d.text(470, 182, "receive the answer", size=13)
    d.arrow((590, 214), (350, 214), label="results")
    d.text(470, 282, "Copies of more than 64 bytes that nobody asked for give a warning at their line.")
    return d


def clients() -> Drawing:
    """A federated round."""
    d = Drawing(
        760,
        250,
        "A federated round",
        "The server broadcasts the slope to each client; each client fits it to its own data; the mean of "
        "what they found is the server's new slope.",
    )
    d.area(20, 24, 170, 200, "SERVER", "host")
    d.box(40, 100, 130, 46, "slope", "plain")
    d.area(290, 24, 220, 200, "CLIENTS", "graph")
    for number in range(3):
        name = f"fitted on client {number}" if number < 2 else "…"
        d.box(310, 56 + 54 * number, 180, 40, name, "plain")
        d.arrow((170, 123), (308, 76 + 54 * number))
        d.arrow((490, 76 + 54 * number), (600, 123))
    d.text(240, 70, "broadcast", size=13)
    d.text(556, 70, "mean", size=13)
    d.box(600, 100, 140, 46, "new slope", "host")
    return d


PICTURES = {
    "journey": journey,
    "dispatch": dispatch,
    "tracing": tracing,
    "carries": carries,
    "guards": guards,
    "host-graph": host_and_graph,
    "clients": clients,
}


def main() -> None:
    """Writes each picture."""
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw().svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
