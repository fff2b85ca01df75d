"""Optimizers: `Optimizer` and its subclasses, and learning-rate schedules. Import the module that holds a name."""
