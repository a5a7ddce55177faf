"""Plots as inline SVG: each module has one record of what is to be seen and one pure function that draws it."""
