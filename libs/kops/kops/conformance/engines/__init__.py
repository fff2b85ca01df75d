"""What the suite needs of an engine beyond `kops.engine.Engine`: compile a function, differentiate, widen to 64 bits.

Each module has `compiled(function, arrays, dynamic) -> outputs or None` (None: nothing to compile), and, where the
engine has gradients, `gradients(function, arrays, wanted) -> list of NumPy arrays` and `wide()`, a scope in which
float64 stays float64.
"""
