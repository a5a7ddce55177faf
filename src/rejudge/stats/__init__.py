"""Numbers with their uncertainty: pure functions from values to estimates. No I/O, no clock; chance by a seed."""
