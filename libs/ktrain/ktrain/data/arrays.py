"""Host arrays from whatever holds numbers: NumPy, tensors of any engine, pandas, lists, sparse matrices, HDF5."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops import tree
from kops.config import settings
from kops.dtypes import is_float_dtype, standardize_dtype


def module_of(x: Any) -> str:
    """The top package of the type of `x`."""
    return type(x).__module__.partition(".")[0]


def is_sliceable(x: Any) -> bool:
    """Whether `x` holds samples along its first axis."""
    if isinstance(x, np.ndarray):
        return True
    return hasattr(x, "shape") and (hasattr(x, "__array__") or hasattr(x, "__getitem__") or hasattr(x, "tocsr"))


def _is_number_list(x: Any) -> bool:
    while isinstance(x, (list, tuple)) and x:
        x = x[0]
    return isinstance(x, (int, float, bool, str, np.generic)) or (isinstance(x, list) and not x)


def to_host(x: Any) -> Any:
    """`x` as a NumPy array (or something that can be sliced into them), floats in `floatx`.

    HDF5 datasets and sparse matrices stay what they are: their batches are converted one by one.
    """
    package = module_of(x)
    if package == "torch":
        from kops.engine import engine

        x = engine().to_numpy(x) if settings.backend == "torch" else x.detach().cpu().numpy()
    elif package == "pandas":
        x = x.to_numpy()
        if x.dtype == object:
            x = _without_objects(x)
    elif package in ("h5py", "scipy"):
        return x.tocsr() if hasattr(x, "tocsr") else x
    elif package == "tensorflow" and hasattr(x, "to_tensor"):
        x = x.to_tensor().numpy()
    array = x if isinstance(x, np.ndarray) else np.asarray(x)
    return to_floatx(array)


def _without_objects(array: np.ndarray) -> np.ndarray:
    try:
        return array.astype(settings.floatx)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"The pandas object has columns that are not numbers ({error}). Select the numeric columns, or pass a "
            "dictionary of columns and use keras.utils.FeatureSpace or preprocessing layers."
        ) from error


def to_floatx(array: np.ndarray) -> np.ndarray:
    """Floats of any width in `floatx`; everything else unchanged."""
    if array.dtype.kind == "f" or array.dtype.kind == "V":
        if array.dtype.name != settings.floatx and is_float_dtype(standardize_dtype(array.dtype)):
            return array.astype(settings.floatx)
    return array


def standardize(data: Any, what: str) -> Any:
    """The structure `data` with every leaf a host array; lists of numbers become arrays."""
    if data is None:
        return None

    def convert(leaf: Any) -> Any:
        if leaf is None:
            return None
        if is_sliceable(leaf):
            return to_host(leaf)
        raise ValueError(
            f"{what} holds {leaf!r:.80} of type {type(leaf).__name__}. Pass arrays, tensors, lists of numbers, pandas "
            "objects, or structures of them; or a generator, PyDataset, tf.data.Dataset or DataLoader."
        )

    if isinstance(data, (list, tuple)) and _is_number_list(data):
        return to_host(np.asarray(data))
    if isinstance(data, (list, tuple)):
        return type(data)([standardize(item, what) for item in data])
    if isinstance(data, dict):
        return {key: standardize(value, f"{what}[{key!r}]") for key, value in data.items()}
    if module_of(data) == "pandas" and hasattr(data, "columns") and not hasattr(data, "to_numpy"):
        return {key: to_host(data[key]) for key in data.columns}
    if tree.is_nested(data) and not is_sliceable(data):
        return tree.map_structure(convert, data)
    return convert(data)


def length(x: Any) -> int:
    """The number of samples."""
    if len(x.shape) == 0:
        raise ValueError("A scalar has no samples. Arrays for training have the samples along their first axis.")
    return int(x.shape[0])


def check_lengths(named: dict[str, Any]) -> int:
    """The common number of samples of all arrays.

    Raises:
        ValueError: they differ, or there is none.
    """
    lengths = {name: [length(a) for a in tree.flatten(value) if a is not None] for name, value in named.items()}
    distinct = {n for listed in lengths.values() for n in listed}
    if len(distinct) > 1:
        shown = "; ".join(f"{name}: {', '.join(map(str, listed))}" for name, listed in lengths.items() if listed)
        raise ValueError(f"All arrays must have the same number of samples, but they have {shown}.")
    count = distinct.pop() if distinct else 0
    if count == 0:
        raise ValueError("The data has no samples: pass arrays with at least one sample along the first axis.")
    return count


def take_slice(x: Any, start: int, stop: int) -> np.ndarray:
    """Samples `start` to `stop` as a NumPy array."""
    if type(x) is np.ndarray:
        return x[start:stop]
    return _batch_of(x[start:stop])


def take_rows(x: Any, rows: np.ndarray) -> np.ndarray:
    """The samples at `rows` as a NumPy array."""
    if type(x) is np.ndarray:
        return x.take(rows, axis=0)
    if module_of(x) == "h5py":
        order = np.argsort(rows)  # HDF5 reads increasing rows only
        found = to_floatx(x[rows[order]])
        return found[np.argsort(order)]
    return _batch_of(x[rows])


def _batch_of(part: Any) -> np.ndarray:
    if hasattr(part, "toarray"):
        part = part.toarray()
    return to_floatx(np.asarray(part))
