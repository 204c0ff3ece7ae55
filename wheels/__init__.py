"""Wheels of each CPython that is here, a source distribution, and a trial of each in a bare environment."""
