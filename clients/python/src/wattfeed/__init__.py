"""A client of wattfeed."""
