"""The site of the documentation: its pictures, its reference and what is asked of its pages."""
