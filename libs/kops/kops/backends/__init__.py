"""The engines. Only code below a folder here may import that folder's engine."""
