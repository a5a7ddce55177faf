"""Judges that come with their prompts: each asks one thing that people want to know."""
