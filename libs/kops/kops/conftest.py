"""On JAX nearly all of the time of these tests went into the compilation of thousands of tiny functions.

Without optimization and without XLA's emitters of fused loops they compile in a third of it. The libraries above are
tested with what users have; so is this one where the variables are set: `XLA_FLAGS= JAX_DISABLE_MOST_OPTIMIZATIONS=0`.
"""

from __future__ import annotations

import os

if os.environ.get("KERAS_BACKEND") == "jax":  # TensorFlow dies of flags that it does not know
    os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_use_fusion_emitters=false")
