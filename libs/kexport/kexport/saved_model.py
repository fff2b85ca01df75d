"""TensorFlow's SavedModel."""

from __future__ import annotations

import os
import shutil
from typing import Any, Callable

import numpy as np

from kexport.check import compare, model_outputs
from kexport.signature import inference_tape, input_specs, sample_inputs
from kops import tree
from kops.config import backend
from kops.tape import Tape, TraceTensor
from kspec import plugin


@plugin("export", "tf_saved_model")
class SavedModelFormat:
    """Writes a model's inference as a SavedModel folder with the endpoint `serve`.

    On TensorFlow the model's variables are in it. On the other engines the recorded ops are replayed with
    TensorFlow's kernels, weights being constants; TensorFlow must be installed.
    """

    def write(
        self, model: Any, path: Any, verbose: Any = None, input_signature: Any = None, check: bool = True
    ) -> None:
        """Write `model` to the folder `path`.

        Args:
            input_signature: structure of specs, where the model's own inputs are not what is wanted.
            check: load the folder again and compare with the model.

        Raises:
            ExportMismatch: when the written model computes something else.
        """
        try:
            import tensorflow as tf
        except ImportError as error:
            raise ImportError("Exporting a SavedModel needs: pip install 'kexport[tensorflow]'") from error
        specs = input_specs(model, input_signature)
        function = _native(model) if backend() == "tensorflow" else _replayed(model, specs)
        module = tf.Module()
        if backend() == "tensorflow":
            module.weights = [v.native for v in model.variables]
        signature = tree.map_structure(lambda s: tf.TensorSpec(s.shape, s.dtype, name=_input_name(s)), specs)
        module.serve = tf.function(function, input_signature=[signature], autograph=False)
        temporary = f"{os.fspath(path)}.tmp"
        shutil.rmtree(temporary, ignore_errors=True)
        tf.saved_model.save(module, temporary, signatures={"serve": _flat(module.serve, specs)})
        if check:
            inputs = sample_inputs(specs)
            loaded = tf.saved_model.load(temporary)
            got = [x.numpy() for x in tree.flatten(loaded.serve(tree.map_structure(tf.constant, inputs)))]
            compare("SavedModel", got, model_outputs(model, inputs))
        _put_in_place(temporary, os.fspath(path))
        if verbose:
            print(f"Wrote {path} with the endpoint 'serve'")


def _put_in_place(made: str, path: str) -> None:
    """Rename a finished folder over an old one, which is whole until the new one has its name."""
    old = f"{path}.old"
    shutil.rmtree(old, ignore_errors=True)
    if os.path.exists(path):
        os.replace(path, old)
    os.replace(made, path)
    shutil.rmtree(old, ignore_errors=True)


def _input_name(spec: Any) -> str:
    return spec.name.replace("/", "_")


def _flat(serve: Any, specs: Any) -> Any:
    """Signatures of SavedModels return flat dictionaries."""
    import tensorflow as tf

    @tf.function(input_signature=[tf.TensorSpec(s.shape, s.dtype) for s in tree.flatten(specs)], autograph=False)
    def signature(*flat: Any) -> dict[str, Any]:
        outputs = tree.flatten(serve(tree.pack_sequence_as(specs, flat)))
        return {f"output_{i}": x for i, x in enumerate(outputs)}

    return signature


def _native(model: Any) -> Callable[[Any], Any]:
    if model._call_signature.takes_training:
        return lambda x: model(x, training=False)
    return lambda x: model(x)


def _replayed(model: Any, specs: Any) -> Callable[[Any], Any]:
    from kops.backends.tensorflow.table import TABLE

    tape = inference_tape(model, specs, {*TABLE, "cast"})
    return lambda x: replay(tape, TABLE, x)


def replay(tape: Tape, table: Any, inputs: Any) -> Any:
    """Run recorded calls with TensorFlow's kernels."""
    import tensorflow as tf

    values = {id(t): x for t, x in zip(tree.flatten(tape.inputs), tree.flatten(inputs))}

    def value(x: Any) -> Any:
        if isinstance(x, TraceTensor):
            return values[id(x)]
        if isinstance(x, np.ndarray):
            return tf.constant(x)
        if isinstance(x, (list, tuple)) and any(isinstance(v, (TraceTensor, np.ndarray)) for v in x):
            return type(x)(value(v) for v in x)
        return x

    for call in tape.calls:
        args = [value(x) for x in call.args]
        if call.op == "cast":
            made = tf.cast(args[0], call.outputs.dtype)
        elif call.op == "dimension":
            made = tf.shape(args[0])[args[1]]
        else:
            made = table[call.op](*args)
        for t, x in zip(tree.flatten(call.outputs), tree.flatten(made)):
            values[id(t)] = x if x.dtype.name == t.dtype else tf.cast(x, t.dtype)
    return tree.map_structure(lambda t: values[id(t)], tape.outputs)
