"""Conway's game of life on a torus, which stops early when nothing changes any more.

Source: Martin Gardner, "The fantastic combinations of John Conway's new solitaire game 'life'",
Scientific American 223 (1970).
"""

import numpy as np


def life(cells, generations):
    """The cells after at most so many generations, and how many of these changed anything."""
    rows, columns = cells.shape
    cells = cells.copy()
    age = 0
    while age < generations:
        following = cells.copy()
        for row in range(rows):
            for column in range(columns):
                neighbours = -cells[row, column]
                for up in (-1, 0, 1):
                    for left in (-1, 0, 1):
                        neighbours += cells[(row + up) % rows, (column + left) % columns]
                if neighbours == 3:
                    following[row, column] = 1
                elif neighbours != 2:
                    following[row, column] = 0
        if np.all(following == cells):
            break
        cells = following
        age += 1
    return cells, age
