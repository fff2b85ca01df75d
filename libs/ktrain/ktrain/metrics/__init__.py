"""Metrics: `Metric` and its subclasses, and the same formulas as functions. Import the module that holds a name."""
