"""Where vectors are searched when PostgreSQL is not the place: base says what an engine does, pick which one it is."""
