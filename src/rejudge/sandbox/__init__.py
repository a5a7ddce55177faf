"""Where code runs that is not trusted: apart from us, with nothing to take and nothing to break."""
