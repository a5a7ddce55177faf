"""Items as rows: their fields, wherever they are stored."""
