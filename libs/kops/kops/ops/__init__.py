"""The declarations of all ops, one module a family."""
