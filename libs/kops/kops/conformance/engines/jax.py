"""`jax.jit`, `jax.grad`, `jax.vmap` and `jax.lax.scan`."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kops.conformance.engines.batches import mapped, twice


def compiled(function: Any, arrays: list[Any], dynamic: bool) -> Any:
    return jax.jit(function)(*arrays)


def abstract(function: Any) -> Any:
    """The outputs without values: to compile every shape anew takes a hundred times longer."""
    found = []
    jax.eval_shape(lambda: found.append(function()))
    return found[0]


def gradients(function: Any, arrays: list[Any], wanted: list[int]) -> list[np.ndarray]:
    return [np.asarray(g) for g in jax.grad(function, argnums=tuple(wanted))(*arrays)]


def wide() -> Any:
    return jax.enable_x64(True)


def _mapped(function: Any, arrays: list[Any], diff: bool) -> Any:
    """`vmap` and the body of a `scan`, in one compiled function that may not look at the host."""
    samples = twice(arrays)
    several = [jnp.stack(pair) for pair in zip(*samples)]
    run = jax.jit(
        lambda xs: (jax.vmap(function)(*xs), jax.lax.scan(lambda c, x: (c, function(*x)), 0, xs)[1]),
        compiler_options={"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True},
    )
    run(several)
    with jax.transfer_guard("disallow"):
        vmapped, scanned = run(several)
    want = mapped(function, samples, np.stack)
    yield vmapped, want
    yield scanned, want


COMPOSITIONS = {"jax.vmap and lax.scan": _mapped}


def native_names(function: Any, arrays: list[Any]) -> set[str]:
    """Of the primitives that are computed, and of the jitted functions around them."""
    names = set()

    def walk(jaxpr: Any) -> None:
        for equation in jaxpr.eqns:
            names.update({equation.primitive.name, str(equation.params.get("name"))})
            for inner in jax.tree.leaves(
                list(equation.params.values()), is_leaf=lambda v: hasattr(v, "jaxpr") or hasattr(v, "eqns")
            ):
                if hasattr(inner, "jaxpr") or hasattr(inner, "eqns"):
                    walk(getattr(inner, "jaxpr", inner))

    walk(jax.make_jaxpr(function)(*arrays).jaxpr)
    return names
