"""The commands of `graphwright`, one file each; `graphwright/__main__.py` is their grammar."""
