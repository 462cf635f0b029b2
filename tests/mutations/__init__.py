"""Is every piece of the wall needed, and is it noticed when one is missing? `make mutations`; minutes, apart from the suite."""
