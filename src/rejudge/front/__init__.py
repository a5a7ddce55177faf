"""The front door: the verbs, and the result that every one of them returns."""
