"""The commands of `python -m ksave`, one module each: `add` says its arguments, `run` does it."""
