"""The outside world: models, files, vectors and the web, each behind a small protocol with a contract suite."""
