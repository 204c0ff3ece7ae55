"""Programs that others wrote, run natively, converted and staged: nothing of them is in the repository.

Terms: an *example* is a call of a function with numbers, texts and lists; a *way* says how its arguments are
staged; a *verdict* is what came of a function in one way.
"""

import os

os.environ.setdefault("GRAPHWRIGHT_CACHE", "0")  # no program comes twice
