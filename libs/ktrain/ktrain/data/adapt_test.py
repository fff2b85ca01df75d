from __future__ import annotations

import numpy as np
import pytest

from ktrain.data.adapt import adapt
from ktrain.data.array_adapter import split
from ktrain.data.epochs import EpochIterator
from ktrain.data.py_dataset import PyDataset

X = np.arange(10.0).reshape(10, 1)
Y = np.arange(10)


def test_arrays_come_in_batches_and_the_last_is_smaller():
    adapter = adapt(X, Y, batch_size=4)
    batches = list(adapter)
    assert adapter.num_batches == 3 and adapter.partial_batch_size == 2
    assert [len(x) for x, _ in batches] == [4, 4, 2]
    assert batches[0][0].dtype == np.float32  # floatx
    assert batches[0][1].dtype == Y.dtype
    np.testing.assert_array_equal(np.concatenate([y for _, y in batches]), Y)


def test_shuffling_keeps_pairs_together_and_differs_from_pass_to_pass():
    adapter = adapt(X, Y, batch_size=3, shuffle=True)
    first, second = list(adapter), list(adapter)
    for x, y in first:
        np.testing.assert_array_equal(x[:, 0], y)
    order = np.concatenate([y for _, y in first])
    assert sorted(order) == list(range(10)) and order.tolist() != np.concatenate([y for _, y in second]).tolist()


def test_shuffling_batches_keeps_their_inside():
    starts = [int(y[0]) for _, y in adapt(X, Y, batch_size=2, shuffle="batch")]
    assert sorted(starts) == [0, 2, 4, 6, 8]


def test_structures_lists_and_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": [3, 4]})
    ((x, y),) = adapt({"t": frame, "u": [1, 2]}, pandas.Series([0, 1])).__iter__()
    assert x["t"].tolist() == [[1.0, 3.0], [2.0, 4.0]] and x["u"].tolist() == [1, 2] and y.tolist() == [0, 1]


def test_sparse_rows_become_dense_batches():
    sparse = pytest.importorskip("scipy.sparse")
    batches = list(adapt(sparse.csr_matrix(np.eye(5)), batch_size=2))
    np.testing.assert_array_equal(np.concatenate([b[0] for b in batches]), np.eye(5))


def test_class_weights_become_sample_weights():
    ((_, _, w),) = adapt(X[:4], np.array([0, 1, 2, 1]), class_weight={1: 3.0}).__iter__()
    assert w.tolist() == [1.0, 3.0, 1.0, 3.0]
    ((_, _, w),) = adapt(X[:2], np.eye(3)[[2, 0]], class_weight={2: 0.5}).__iter__()
    assert w.tolist() == [0.5, 1.0]


def test_bad_arrays_are_explained():
    with pytest.raises(ValueError, match=r"same number of samples.*x: 10.*y: 9"):
        adapt(X, Y[:9])
    with pytest.raises(ValueError, match="no samples"):
        adapt(np.zeros((0, 3)), np.zeros((0,)))
    with pytest.raises(ValueError, match=r"x\['a'\] holds"):
        adapt({"a": object()})
    with pytest.raises(ValueError, match="either class_weight or sample_weight"):
        adapt(X, Y, sample_weight=np.ones(10), class_weight={0: 1.0})
    with pytest.raises(ValueError, match="y must not be given"):
        adapt((b for b in [X]), Y)
    with pytest.raises(ValueError, match="generator gave no batch"):
        adapt(b for b in [])
    with pytest.raises(ValueError, match="shuffle is"):
        adapt(X, shuffle="yes")


def test_split_takes_the_last_samples():
    (x, y, w), (vx, vy, _) = split((X, Y, None), 0.2)
    assert len(x) == 8 and w is None and vy.tolist() == [8, 9] and vx.shape == (2, 1)
    with pytest.raises(ValueError, match="leaves none"):
        split((X[:1], None, None), 0.2)


class Numbers(PyDataset):
    def __init__(self, bad=None, **kwargs):
        super().__init__(**kwargs)
        self.bad = bad
        self.epochs = 0

    def __len__(self):
        return 12

    def __getitem__(self, index):
        if index == self.bad:
            raise KeyError("no such batch")
        return np.full((2, 1), float(index)), np.full((2,), index)


class Ended(Numbers):
    def on_epoch_end(self):
        self.epochs += 1


@pytest.mark.parametrize("options", [{}, {"workers": 3, "max_queue_size": 4}], ids=["one", "threads"])
def test_pydataset_in_order(options):
    adapter = adapt(Numbers(**options))
    for _ in range(2):
        assert [int(y[0]) for _, y in adapter] == list(range(12))
    assert adapter._pool is None


def test_a_workers_exception_is_raised_here_with_its_traceback():
    adapter = adapt(Numbers(bad=3, workers=2))
    with pytest.raises(KeyError, match="no such batch") as info:
        list(adapter)
    assert "__getitem__" in [frame.name for frame in info.traceback]
    assert adapter._pool is None


def test_processes_give_the_same_batches():
    adapter = adapt(Numbers(workers=2, use_multiprocessing=True))
    assert [int(y[0]) for _, y in adapter] == list(range(12))
    adapter.close()


def test_epochs_know_their_length_after_the_first():
    epochs = EpochIterator(adapt(b for b in [(X, Y)] * 3))
    assert epochs.num_batches is None
    assert [done for done, _ in epochs] == [1, 2, 3]
    assert epochs.num_batches == 3
    with pytest.raises(ValueError, match="gave no batch"):
        list(epochs)


def test_steps_per_execution_groups_batches():
    epochs = EpochIterator(adapt(X, Y, batch_size=2), steps_per_execution=2)
    assert [(done, len(group)) for done, group in epochs] == [(2, 2), (4, 2), (5, 1)]


def test_steps_per_epoch_goes_on_in_the_data_and_begins_anew_at_its_end():
    epochs = EpochIterator(adapt(X, Y, batch_size=2), steps_per_epoch=3)
    seen = [[int(group[0][1][0]) for _, group in epochs] for _ in range(2)]
    assert seen == [[0, 2, 4], [6, 8, 0]]


def test_data_that_ends_early_warns():
    dataset = Ended()
    epochs = EpochIterator(adapt(dataset), steps_per_epoch=20)
    with pytest.warns(UserWarning, match="ended after 12 of 20"):
        list(epochs)
    assert dataset.epochs == 1


def test_torch_dataloader():
    torch = pytest.importorskip("torch")
    data = torch.utils.data.TensorDataset(torch.arange(6.0)[:, None], torch.arange(6))
    adapter = adapt(torch.utils.data.DataLoader(data, batch_size=4))
    assert adapter.num_batches == 2
    assert [tuple(x.shape) for x, _ in adapter] == [(4, 1), (2, 1)]
