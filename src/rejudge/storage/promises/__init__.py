"""The promises of `StoreContract`, one file a subject, over a small world in `scene`."""
