"""Checks for the tests of layers; not part of the wheel."""
