"""The least number of insertions, deletions and substitutions that turn one text into another.

The texts are arrays of character codes. Source: Robert A. Wagner and Michael J. Fischer, "The
String-to-String Correction Problem", Journal of the ACM 21 (1974); only two rows of the table are kept.
"""

import numpy as np


def levenshtein(a, m, b, n):
    """The distance of the first `m` codes of `a` and the first `n` codes of `b`."""
    previous = np.arange(len(b) + 1)
    for i in range(m):
        current = np.zeros(len(b) + 1, dtype=np.int64)
        current[0] = i + 1
        for j in range(n):
            if a[i] == b[j]:
                current[j + 1] = previous[j]
            else:
                current[j + 1] = 1 + min(previous[j], previous[j + 1], current[j])
        previous = current
    return previous[n]
