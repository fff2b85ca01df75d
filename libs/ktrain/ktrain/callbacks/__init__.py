"""Callbacks of fit, evaluate and predict. Import the module that holds a name."""
