"""What a dataset's rows become, and what an edit makes of them: items with ids, digests and stored fields."""
