"""Tasks: the system under test, as a function or as recorded outputs."""
