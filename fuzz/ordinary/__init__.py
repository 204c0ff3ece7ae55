"""Programs of ordinary statements about lists, dicts, objects and closures, which have second names."""
