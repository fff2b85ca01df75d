"""Data for fit, evaluate and predict: one adapter per kind of input, all giving batches of host arrays."""
