"""Where records live: one protocol, an in-memory store and SQL stores, all under one published contract."""
