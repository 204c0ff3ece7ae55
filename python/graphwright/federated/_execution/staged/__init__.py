"""Code that becomes part of graphs: it is written plainly, and converted as a user's is."""
