"""Where the bytes of documents live: `base` is the promise, `local` and `s3` keep it, `pick` chooses."""
