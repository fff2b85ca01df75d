"""Rows of connectionist temporal classification. The references go through every alignment."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy.special import log_softmax

from kops.conformance.rows import F, L, case, row


def _collapsed(path: Any, blank: int) -> tuple[int, ...]:
    return tuple(k for k, _ in itertools.groupby(path) if k != blank)


def _scores(logits: Any, length: int, blank: int) -> dict[tuple[int, ...], float]:
    """The log-probability of every label sequence."""
    logs = log_softmax(logits[:length], -1)
    scores: dict[tuple[int, ...], float] = {}
    for path in itertools.product(range(logits.shape[1]), repeat=length):
        key = _collapsed(path, blank)
        scores[key] = np.logaddexp(scores.get(key, -np.inf), sum(logs[t, k] for t, k in enumerate(path)))
    return scores


def _loss(target: Any, output: Any, target_length: Any, output_length: Any, mask_index: int = 0) -> Any:
    return np.array([
        -_scores(x, int(steps), mask_index)[tuple(int(v) for v in y[: int(n)])]
        for y, x, n, steps in zip(target, output, target_length, output_length)
    ])  # fmt: skip


def _greedy(x: Any, lengths: Any, merge_repeated: bool = True, mask_index: int = 0) -> Any:
    labels = np.full((1, *x.shape[:2]), -1)
    scores = np.zeros((x.shape[0], 1))
    for b, n in enumerate(lengths):
        path = x[b, :n].argmax(-1)
        kept = _collapsed(path, mask_index) if merge_repeated else tuple(k for k in path if k != mask_index)
        labels[0, b, : len(kept)] = kept
        scores[b] = -x[b, :n].max(-1).sum()
    return labels, scores


def _best(x: Any, lengths: Any, strategy: str, top_paths: int = 1, mask_index: int = 0, **rest: Any) -> Any:
    labels = np.full((top_paths, *x.shape[:2]), -1)
    scores = np.zeros((x.shape[0], top_paths))
    for b, n in enumerate(lengths):
        ranked = sorted(_scores(x[b], int(n), mask_index).items(), key=lambda item: -item[1])
        for p, (key, score) in enumerate(ranked[:top_paths]):
            labels[p, b, : len(key)] = key
            scores[b, p] = score
    return labels, scores


_HOST = "beam search runs on the host"

ROWS = [
    row(
        "ctc_loss",
        L([[1, 2], [2, 2], [3, 0]]),
        F(3, 4, 4),
        L([2, 2, 1]),
        L([4, 3, 2]),
        ref=_loss,
        grad=True,
        dtypes=("float32", "float16"),
        tol=2e-5,
        bad=[
            case(L([1]), F(1, 4, 4), L([1]), L([4]), match="batch, labels"),
            case(L([[1]]), F(2, 4, 4), L([1]), L([4]), match="batch sizes"),
            case(L([[1]]), F(1, 4, 3), L([1]), L([4]), mask_index=3, match="none of the 3 classes"),
        ],
    ),
    row("ctc_loss", L([[1, 0], [2, 2]]), F(2, 4, 4), L([2, 0]), L([4, 3]), mask_index=3, ref=_loss, grad=True),
    row(
        "ctc_decode",
        F(3, 5, 4),
        L([5, 4, 2]),
        ref=_greedy,
        dtypes=("float32", "float16"),
        bad=[
            case(F(3, 4), L([4, 4, 4]), match="batch, steps"),
            case(F(1, 3, 4), L([3]), strategy="best", match="strategy"),
        ],
    ),
    row("ctc_loss", L(np.zeros((2, 0), np.int32)), F(2, 4, 3), L([0, 0]), L([4, 3]), ref=_loss, grad=True),
    # More labels than steps: no float16 would hold it.
    row("ctc_loss", L([[1, 2, 3]]), F(1, 2, 4), L([3]), L([2]), ref=np.array([1e5]), dtypes=("float16",), tol=2e-3),
    row("ctc_decode", F(3, 5, 4), L([5, 4, 2]), merge_repeated=False, mask_index=2, ref=_greedy),
    row(
        "ctc_decode",
        F(2, 4, 3),
        L([4, 2]),
        strategy="beam_search",
        top_paths=2,
        ref=_best,
        jit=False,
        note=_HOST,
        bad=[
            case(F(2, 4, 3), L([4, 2]), strategy="beam_search", beam_width=0, match="at least 1"),
            case(F(2, 4, 3), L([4, 2]), strategy="beam_search", top_paths=-1, match="at least 1"),
        ],
    ),
    row("ctc_decode", F(2, 4, 3), L([4, 2]), strategy="beam_search", mask_index=2, ref=_best, jit=False, note=_HOST),
]
