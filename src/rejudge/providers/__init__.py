"""Providers: who answers model calls."""
