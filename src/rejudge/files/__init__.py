"""Reads tables and documents that people hand in, and says exactly where one is wrong."""
