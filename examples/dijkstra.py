"""The shortest ways from one node of a graph to all others, with a list as the queue.

Source: Edsger W. Dijkstra, "A note on two problems in connexion with graphs", Numerische Mathematik 1 (1959).
"""

import numpy as np


def dijkstra(lengths, source):
    """The distances from `source`; `lengths` has the length of each edge, and 0 where there is none."""
    n = lengths.shape[0]
    distances = np.full(n, np.inf)
    distances[source] = 0.0
    queue = [source]
    while queue:
        nearest = 0
        for k in range(len(queue)):
            if distances[queue[k]] < distances[queue[nearest]]:
                nearest = k
        node = queue.pop(nearest)
        for other in range(n):
            length = lengths[node, other]
            if length < 0:
                raise ValueError("an edge has a negative length")
            if length > 0 and distances[node] + length < distances[other]:
                distances[other] = distances[node] + length
                if other not in queue:
                    queue.append(other)
    return distances
