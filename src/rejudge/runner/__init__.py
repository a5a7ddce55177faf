"""The engine: plan what is wanted minus what is stored, generate it, judge it, and keep everything."""
