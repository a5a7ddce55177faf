"""How older stores become newer ones: one file in `versions` per step, run by Alembic.

A step is written beside the change in `schema.py`, whose `REVISION` it becomes; a test holds that all
steps together make what the schema describes.
"""
