"""Whether one text follows from another, told by a small model on this machine. Optional: `pip install veraz[entail]`."""
