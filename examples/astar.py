"""A* on a grid: the shortest way from start to goal around the walls, by steps to the four neighbours.

Source: P. E. Hart, N. J. Nilsson and B. Raphael, "A Formal Basis for the Heuristic Determination of
Minimum Cost Paths", IEEE Transactions on Systems Science and Cybernetics 4 (1968).
"""

import numpy as np


def astar(walls, start, goal):
    """The cells of a shortest way, from `start` to `goal`; cells are numbered row by row."""
    rows, columns = walls.shape
    steps = np.full(rows * columns, rows * columns)
    parents = np.full(rows * columns, -1)
    steps[start] = 0
    border = [start]
    while len(border) > 0:
        best = 0
        for k in range(len(border)):
            if estimate(border[k], steps, goal, columns) < estimate(border[best], steps, goal, columns):
                best = k
        cell = border.pop(best)
        if cell == goal:
            return way(parents, cell)
        row, column = cell // columns, cell % columns
        for down, right in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            if (
                0 <= row + down < rows
                and 0 <= column + right < columns
                and not walls[row + down, column + right]
            ):
                neighbour = cell + down * columns + right
                if steps[cell] + 1 < steps[neighbour]:
                    steps[neighbour] = steps[cell] + 1
                    parents[neighbour] = cell
                    if neighbour not in border:
                        border.append(neighbour)
    raise ValueError("there is no way")


def estimate(cell, steps, goal, columns):
    """The length of a way through the cell, if nothing stands between it and the goal."""
    down, right = cell // columns - goal // columns, cell % columns - goal % columns
    return steps[cell] + abs(down) + abs(right)


def way(parents, cell):
    """The cells on the way that ends here."""
    cells = [cell]
    while parents[cell] >= 0:
        cell = parents[cell]
        cells.append(cell)
    return cells[::-1]
