"""The native half of federated computations, which the native module fills when it is first imported."""

import sys

from ._native import register_federated

register_federated(sys.modules[__name__])
del register_federated, sys
