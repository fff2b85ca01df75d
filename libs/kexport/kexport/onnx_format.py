"""ONNX."""

from __future__ import annotations

import os
from typing import Any

from kexport.check import compare, model_outputs
from kexport.signature import inference_tape, input_specs, sample_inputs
from kops import tree
from kspec import plugin


@plugin("export", "onnx")
class OnnxFormat:
    """Writes a model's inference as an ONNX file that onnxruntime and others run, from any engine.

    The batch stays dynamic. Weights are constants of the graph. Needs the packages `onnx` and, for the check after
    writing, `onnxruntime`.
    """

    def write(
        self, model: Any, path: Any, verbose: Any = None, input_signature: Any = None, check: bool = True
    ) -> None:
        """Write `model` to `path`.

        Args:
            input_signature: structure of specs, where the model's own inputs are not what is wanted.
            check: run the file in onnxruntime and compare with the model.

        Raises:
            NotImplementedError: for an op that has no ONNX form.
            ExportMismatch: when the written file computes something else.
        """
        try:
            import onnx  # noqa: F401
        except ImportError as error:
            raise ImportError("Exporting to ONNX needs: pip install 'kexport[onnx]'") from error
        specs = input_specs(model, input_signature)
        made = to_onnx(model, specs)
        data = made.SerializeToString()
        if check:
            self._check(model, specs, data)
        temporary = f"{os.fspath(path)}.tmp"
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
        if verbose:
            print(f"Wrote {path}: {len(made.graph.node)} nodes, {len(data):,} bytes")

    def _check(self, model: Any, specs: Any, data: bytes) -> None:
        try:
            import onnxruntime
        except ImportError as error:
            raise ImportError(
                "Checking an ONNX export needs onnxruntime: pip install onnxruntime, or pass check=False."
            ) from error
        inputs = sample_inputs(specs)
        session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
        names = [i.name for i in session.get_inputs()]
        got = session.run(None, dict(zip(names, tree.flatten(inputs))))
        compare("ONNX", got, model_outputs(model, inputs))


def to_onnx(model: Any, specs: Any) -> Any:
    """The `onnx.ModelProto` of a model's inference."""
    from kexport.onnx_graph import Graph
    from kexport.onnx_ops import OPS

    tape = inference_tape(model, specs, OPS)
    graph = Graph()
    inputs = list(zip(_names(model, specs, "input_names", "input"), tree.flatten(tape.inputs)))
    for name, x in inputs:
        graph.bind(x, name)
    for call in tape.calls:
        if call.op not in OPS:
            raise NotImplementedError(
                f"The op {call.op!r} of model {model.name!r} has no ONNX form here. "
                f"Ops that have: {', '.join(sorted(OPS))}."
            )
        made = OPS[call.op](graph, *call.args, out=call.outputs)
        for x, name in zip(tree.flatten(call.outputs), made if isinstance(made, list) else [made]):
            graph.bind(x, name)
    flat = tree.flatten(tape.outputs)
    outputs = []
    for label, x in zip(_names(model, flat, "output_names", "output"), flat):
        graph.nodes.append(_identity(graph.name(x), label))
        outputs.append((label, x))
    return graph.model(model.name, inputs, outputs)


def _identity(source: str, label: str) -> Any:
    from onnx import helper

    return helper.make_node("Identity", [source], [label])


def _names(model: Any, structure: Any, attribute: str, prefix: str) -> list[str]:
    flat = tree.flatten(structure)
    known = getattr(model, attribute, None)
    if known and len(known) == len(flat) and len(set(known)) == len(known):
        return [f"{prefix}_{n}" if prefix == "output" else n for n in known]
    return [prefix] if len(flat) == 1 else [f"{prefix}_{i}" for i in range(len(flat))]
