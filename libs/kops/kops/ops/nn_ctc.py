"""Connectionist temporal classification: losses and transcriptions of sequences without alignment.

Reference: [Graves et al., 2006](https://www.cs.toronto.edu/~graves/icml_2006.pdf)
"""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from kops import promote, shapes
from kops.declare import Tensor, composite, primitive
from kops.engine import engine
from kops.keras_tensor import KerasTensor


def _loss_dtypes(target: Any, output: Any, target_length: Any, output_length: Any) -> Any:
    dtype = promote.wide(output)[0]  # a loss of 100 000 is more than float16 holds
    return ("int32", dtype, "int32", "int32"), dtype


def _loss_shape(target: Any, output: Any, target_length: Any, output_length: Any, mask_index: int = 0) -> shapes.Shape:
    if len(target.shape) != 2 or len(output.shape) != 3:
        raise ValueError(
            f"target must be (batch, labels) and output (batch, steps, classes), not {tuple(target.shape)} and "
            f"{tuple(output.shape)}."
        )
    batches = {target.shape[0], output.shape[0]}
    for name, length in (("target_length", target_length), ("output_length", output_length)):
        if len(length.shape) != 1:
            raise ValueError(f"{name} must be (batch,), not {tuple(length.shape)}.")
        batches.add(length.shape[0])
    if len(batches - {None}) > 1:
        raise ValueError(f"the arguments have different batch sizes: {sorted(batches - {None})}.")
    if output.shape[2] is not None and not 0 <= mask_index < output.shape[2]:
        raise ValueError(f"mask_index {mask_index} is none of the {output.shape[2]} classes.")
    return (next(iter(batches - {None}), None),)


@primitive("nn", dtype=promote.real(_loss_dtypes), shape=_loss_shape, node="CTCLoss", checked=True)
def ctc_loss(target: Tensor, output: Tensor, target_length: Tensor, output_length: Tensor, mask_index: int = 0) -> Any:
    """`-log` of the probability of the labels, summed over all alignments with the steps.

    Args:
        target: labels, `(batch, labels)`, padded at the end with anything.
        output: logits, `(batch, steps, classes)`.
        target_length: number of labels, `(batch,)`.
        output_length: number of steps, `(batch,)`.
        mask_index: the class that stands for no label.

    Returns:
        `(batch,)`, in 32 bits at least; about 100 000 for labels that do not fit into the steps.
    """


def _decode_dtypes(inputs: Any, sequence_lengths: Any) -> Any:
    dtype = promote.wide(inputs)[0]
    return (dtype, "int32"), ("int32", dtype)


def _decode_shape(
    inputs: Any, sequence_lengths: Any, strategy: str, beam_width: int, top_paths: int, mask_index: int
) -> list[shapes.Shape]:
    if len(inputs.shape) != 3 or len(sequence_lengths.shape) != 1:
        raise ValueError(
            f"inputs must be (batch, steps, classes) and sequence_lengths (batch,), not {tuple(inputs.shape)} and "
            f"{tuple(sequence_lengths.shape)}."
        )
    if None not in (inputs.shape[0], sequence_lengths.shape[0]) and inputs.shape[0] != sequence_lengths.shape[0]:
        raise ValueError(f"{sequence_lengths.shape[0]} lengths do not fit a batch of {inputs.shape[0]}.")
    if 0 in inputs.shape[1:]:
        raise ValueError(f"there is nothing to decode in shape {tuple(inputs.shape)}.")
    if strategy not in ("greedy", "beam_search"):
        raise ValueError(f"strategy must be 'greedy' or 'beam_search', not {strategy!r}.")
    if strategy == "beam_search" and inputs.shape[2] is not None and not 0 <= mask_index < inputs.shape[2]:
        raise ValueError(f"mask_index {mask_index} is none of the {inputs.shape[2]} classes.")
    if strategy == "beam_search" and min(beam_width, top_paths) < 1:
        raise ValueError(f"beam_width and top_paths are at least 1, not {beam_width} and {top_paths}.")
    paths = 1 if strategy == "greedy" else top_paths
    return [(paths, *inputs.shape[:2]), (inputs.shape[0], paths)]


@composite("nn", dtype=promote.real(_decode_dtypes), shape=_decode_shape, node="CTCDecode", checked=True)
def ctc_decode(
    inputs: Tensor,
    sequence_lengths: Tensor,
    strategy: str = "greedy",
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
    mask_index: int = 0,
) -> Any:
    """The labels that a sequence of class scores says.

    Args:
        inputs: logits, `(batch, steps, classes)`.
        sequence_lengths: number of steps, `(batch,)`.
        strategy: `"greedy"` takes the best class of each step, `"beam_search"` the labels with the largest
            probability over all alignments; it runs on the host, not in compiled code.
        beam_width: how many beginnings the search keeps.
        top_paths: how many results it gives.
        merge_repeated: whether equal neighbours are one label; the search always treats them so.
        mask_index: the class that stands for no label.

    Returns:
        `[labels, scores]`: int32 `(paths, batch, steps)`, padded with -1, and `(batch, paths)`: for `"greedy"` the
        negative sum of the logits taken, for `"beam_search"` the log-probabilities.
    """
    if strategy == "beam_search":
        return _beams(inputs, sequence_lengths, beam_width, top_paths, mask_index)
    best = kops.cast(kops.argmax(inputs, axis=-1), "int32")
    ones = kops.ones_like(best)
    steps = kops.cumsum(ones, axis=1) - 1
    valid = steps < kops.expand_dims(sequence_lengths, 1)
    score = kops.where(valid, kops.max(inputs, axis=-1), kops.zeros_like(inputs[:, :, 0]))
    taken = kops.logical_and(valid, best != mask_index)
    if merge_repeated:
        before = kops.concatenate([ones[:, :1] * -1, best[:, :-1]], axis=1)
        taken = kops.logical_and(taken, best != before)
    # Labels taken go to the front, in order: a stable sort by "left out".
    order = kops.argsort(kops.where(taken, steps, steps + inputs.shape[1]), axis=1)
    labels = kops.take_along_axis(kops.where(taken, best, ones * -1), order, axis=1)
    return [kops.expand_dims(labels, 0), kops.expand_dims(-kops.sum(score, axis=1), 1)]


def _beams(inputs: Any, sequence_lengths: Any, width: int, paths: int, blank: int) -> list[Any]:
    e = engine()
    if isinstance(inputs, KerasTensor):
        raise TypeError("beam search runs on values")
    try:
        logits, lengths = np.asarray(e.to_numpy(inputs)).astype(np.float64), e.to_numpy(sequence_lengths)
    except (TypeError, NotImplementedError, RuntimeError) as error:
        raise NotImplementedError(
            "ctc_decode with strategy='beam_search' runs on the host and cannot be compiled; call it eagerly, or use "
            "strategy='greedy'."
        ) from error
    batch, steps, _ = logits.shape
    logs = logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)
    labels = np.full((paths, batch, steps), -1, np.int32)
    scores = np.full((batch, paths), -np.inf)
    for b in range(batch):
        for p, (prefix, score) in enumerate(_search(logs[b, : int(lengths[b])], width, blank)[:paths]):
            labels[p, b, : len(prefix)] = prefix
            scores[b, p] = score
    return [e.convert(labels, "int32"), e.convert(scores, e.dtype_name(inputs))]


def _search(logs: np.ndarray, width: int, blank: int) -> list[tuple[tuple[int, ...], float]]:
    """Prefix beam search: the best prefixes with their log-probabilities, best first."""
    nothing = -np.inf
    beams: dict[tuple[int, ...], tuple[float, float]]
    beams = {(): (0.0, nothing)}  # prefix: log-probabilities of ending with a blank, and with its last label
    for step in logs:
        new: dict[tuple[int, ...], tuple[float, float]] = {}

        def give(prefix: tuple[int, ...], to_blank: float, to_label: float, new: Any = new) -> None:
            blank_before, label_before = new.get(prefix, (nothing, nothing))
            new[prefix] = (np.logaddexp(blank_before, to_blank), np.logaddexp(label_before, to_label))

        for prefix, (ends_blank, ends_label) in beams.items():
            total = np.logaddexp(ends_blank, ends_label)
            give(prefix, total + step[blank], nothing)
            for label, gain in enumerate(step):
                if label == blank:
                    continue
                if prefix and label == prefix[-1]:
                    give(prefix, nothing, ends_label + gain)
                    give((*prefix, label), nothing, ends_blank + gain)
                else:
                    give((*prefix, label), nothing, total + gain)
        ranked = sorted(new.items(), key=lambda item: -np.logaddexp(*item[1]))
        beams = dict(ranked[:width])
    return [(prefix, float(np.logaddexp(*ends))) for prefix, ends in beams.items()]
