"""Findings about runs: compared, ranked and explained, each with its n and its interval."""
