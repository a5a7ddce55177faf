"""Measures of how like a text is to its reference; the maths comes from the libraries of the extra `text`."""
