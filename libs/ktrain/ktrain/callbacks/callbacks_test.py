from __future__ import annotations

import csv
import http.server
import json
import threading

import numpy as np
import pytest

from klayers.input_layer import Input
from klayers.layers.dense import Dense
from kops.config import settings
from kspec import resolve
from ktrain.callbacks.backup_and_restore import BackupAndRestore
from ktrain.callbacks.callback import Callback
from ktrain.callbacks.callback_list import CallbackList
from ktrain.callbacks.csv_logger import CSVLogger
from ktrain.callbacks.early_stopping import EarlyStopping
from ktrain.callbacks.lambda_callback import LambdaCallback
from ktrain.callbacks.learning_rate import LearningRateScheduler, ReduceLROnPlateau
from ktrain.callbacks.model_checkpoint import ModelCheckpoint
from ktrain.callbacks.progbar_logger import ProgbarLogger
from ktrain.callbacks.remote_monitor import RemoteMonitor
from ktrain.callbacks.swap_ema_weights import SwapEMAWeights
from ktrain.callbacks.terminate_on_nan import TerminateOnNaN
from ktrain.models import Sequential
from ktrain.optimizers.sgd import SGD

pytestmark = pytest.mark.skipif(
    settings.backend not in ("jax", "torch", "tensorflow"), reason="this engine computes no gradients"
)

X = np.ones((8, 2), "float32")
Y = np.ones((8, 1), "float32")


def model(rate=0.1, **options):
    made = Sequential([Input((2,)), Dense(1, kernel_initializer="zeros")])
    made.compile(SGD(rate, **options), "mse", metrics=["mae"])
    return made


class Feed(Callback):
    """Puts given values into the logs of epochs."""

    def __init__(self, **values):
        super().__init__()
        self.values = values

    def on_epoch_end(self, epoch, logs=None):
        for name, values in self.values.items():
            logs[name] = values[epoch]


def test_hooks_are_called_in_order():
    seen = []

    class Spy(Callback):
        def __getattribute__(self, name):
            if name.startswith("on_"):
                seen.append(name)
            return super().__getattribute__(name)

    model().fit(X, Y, batch_size=4, validation_data=(X, Y), verbose=0, callbacks=[Spy()])
    assert seen == ["on_train_begin", "on_epoch_begin", "on_test_begin", "on_test_end", "on_epoch_end", "on_train_end"]


def test_batch_hooks_are_called_when_overridden():
    batches, logs_seen = [], []
    spy = LambdaCallback(
        on_train_batch_begin=lambda batch, logs: batches.append(batch),
        on_train_batch_end=lambda batch, logs: logs_seen.append(logs),
    )
    model().fit(X, Y, batch_size=4, verbose=0, callbacks=spy)
    assert batches == [0, 1] and sorted(logs_seen[0]) == ["loss", "mae"] and logs_seen[0]["loss"] == 1.0
    listed = CallbackList([spy, ProgbarLogger(), TerminateOnNaN()])
    assert listed.listens("on_train_batch_end") and not listed.listens("on_test_batch_begin")


def test_something_else_than_a_callback_is_refused():
    with pytest.raises(TypeError, match="callbacks holds 3"):
        model().fit(X, Y, verbose=0, callbacks=[3])


def test_early_stopping_and_best_weights():
    stop = EarlyStopping("value", patience=2, mode="min", restore_best_weights=True)
    weights = []
    keep = LambdaCallback(on_epoch_end=lambda epoch, logs: weights.append(keep.model.get_weights()))
    feed = Feed(value=[3.0, 1.0, 2.0, 2.0, 0.0])
    m = model()
    history = m.fit(X, Y, epochs=5, verbose=0, callbacks=[feed, keep, stop])
    assert history.epoch == [0, 1, 2, 3] and stop.best_epoch == 1 and stop.stopped_epoch == 3
    for a, b in zip(m.get_weights(), weights[1]):
        np.testing.assert_array_equal(a, b)


def test_early_stopping_knows_the_direction_of_metrics():
    for name, better in (("val_loss", -1), ("mae", -1), ("val_accuracy", 1)):
        stop = EarlyStopping(name)
        m = Sequential([Input((2,)), Dense(1)])
        m.compile("sgd", "mse", metrics=["mae", "accuracy"])
        m.fit(X, Y, verbose=0)
        stop.set_model(m)
        assert stop.direction() == better, name
    stop = EarlyStopping("strange")
    stop.set_model(m)
    with pytest.raises(ValueError, match="Pass mode='max'"):
        stop.direction()
    with pytest.warns(UserWarning, match="not in the logs: loss, mae"):
        model().fit(X, Y, verbose=0, callbacks=[EarlyStopping("val_loss")])


def test_checkpoints_of_the_best_epochs(tmp_path):
    path = str(tmp_path / "at_{epoch}_{value:.0f}.keras")
    feed = Feed(value=[3.0, 4.0, 1.0])
    m = model()
    m.fit(X, Y, epochs=3, verbose=0, callbacks=[feed, ModelCheckpoint(path, "value", save_best_only=True, mode="min")])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["at_1_3.keras", "at_3_1.keras"]
    loaded = resolve("keras.models.load_model")(tmp_path / "at_3_1.keras")
    np.testing.assert_allclose(loaded.predict(X, verbose=0), m.predict(X, verbose=0), rtol=1e-6)


def test_checkpoints_of_weights_every_few_batches(tmp_path):
    path = str(tmp_path / "{epoch}_{batch}.weights.h5")
    model().fit(
        X, Y, batch_size=2, epochs=2, verbose=0, callbacks=[ModelCheckpoint(path, save_weights_only=True, save_freq=3)]
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["1_3.weights.h5", "2_2.weights.h5"]
    with pytest.raises(ValueError, match="must end in '.weights.h5'"):
        ModelCheckpoint("a.keras", save_weights_only=True)
    with pytest.raises(KeyError, match="the logs have: epoch, loss, mae"):
        model().fit(X, Y, verbose=0, callbacks=[ModelCheckpoint(str(tmp_path / "{nothing}.keras"))])


def test_csv(tmp_path):
    path = tmp_path / "log.csv"
    model().fit(X, Y, epochs=2, verbose=0, validation_data=(X, Y), callbacks=[CSVLogger(path)])
    model().fit(X, Y, epochs=1, verbose=0, validation_data=(X, Y), callbacks=[CSVLogger(path, append=True)])
    rows = list(csv.DictReader(path.open()))
    assert list(rows[0]) == ["epoch", "loss", "mae", "val_loss", "val_mae"]
    assert [r["epoch"] for r in rows] == ["0", "1", "0"] and float(rows[0]["loss"]) == 1.0


def test_nan_ends_training(capsys):
    bad = Y.copy()
    bad[0] = np.nan
    history = model().fit(X, bad, batch_size=4, epochs=3, shuffle=False, verbose=0, callbacks=[TerminateOnNaN()])
    assert history.epoch == [0] and "Batch 0: the loss is nan" in capsys.readouterr().out
    with pytest.raises(RuntimeError, match="Lower the learning rate"):
        model().fit(X, bad, verbose=0, callbacks=[TerminateOnNaN(raise_error=True)])


def test_learning_rate_scheduler_and_plateau():
    m = model()
    history = m.fit(X, Y, epochs=3, verbose=0, callbacks=[LearningRateScheduler(lambda epoch, rate: rate / 2)])
    np.testing.assert_allclose(history.history["learning_rate"], [0.05, 0.025, 0.0125], rtol=1e-6)
    plateau = ReduceLROnPlateau("value", factor=0.5, patience=1, mode="max", min_lr=0.03)
    history = model().fit(X, Y, epochs=4, verbose=0, callbacks=[Feed(value=[1.0, 1.0, 1.0, 2.0]), plateau])
    np.testing.assert_allclose(history.history["learning_rate"], [0.1, 0.1, 0.05, 0.03], rtol=1e-6)
    with pytest.raises(ValueError, match="must return a number"):
        model().fit(X, Y, verbose=0, callbacks=[LearningRateScheduler(lambda epoch, rate: "fast")])


def test_interrupted_training_goes_on(tmp_path):
    class Interrupt(Callback):
        def on_epoch_begin(self, epoch, logs=None):
            if epoch == 2:
                raise KeyboardInterrupt

    whole = model()
    np.random.seed(1)
    whole.fit(X, Y, batch_size=3, epochs=4, verbose=0)
    np.random.seed(1)
    with pytest.raises(KeyboardInterrupt):
        model().fit(X, Y, batch_size=3, epochs=4, verbose=0, callbacks=[BackupAndRestore(tmp_path / "b"), Interrupt()])
    again = model()
    history = again.fit(X, Y, batch_size=3, epochs=4, verbose=0, callbacks=[BackupAndRestore(tmp_path / "b")])
    assert history.epoch == [2, 3]
    for a, b in zip(whole.get_weights(), again.get_weights()):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    assert not (tmp_path / "b").exists()


def test_ema_weights_are_used_in_evaluation_only():
    m = model(use_ema=True, ema_momentum=0.5)
    seen = {}

    class Look(Callback):
        def on_test_batch_end(self, batch, logs=None):
            seen["test"] = self.model.get_weights()

        def on_epoch_end(self, epoch, logs=None):
            seen["train"] = self.model.get_weights()

    m.fit(X, Y, epochs=3, verbose=0, validation_data=(X, Y), callbacks=[SwapEMAWeights(), Look()])
    assert np.abs(seen["test"][0] - seen["train"][0]).max() > 0
    with pytest.raises(ValueError, match="use_ema=True"):
        model().fit(X, Y, verbose=0, callbacks=[SwapEMAWeights()])


def test_remote_monitor_posts_the_logs():
    received = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args): ...

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    model().fit(X, Y, verbose=0, callbacks=[RemoteMonitor(address, send_as_json=True)])
    server.shutdown()
    assert received[0]["epoch"] == 0 and received[0]["loss"] == 1.0
    with pytest.warns(UserWarning, match="could not reach"):
        model().fit(X, Y, verbose=0, callbacks=[RemoteMonitor(address)])


def test_what_is_shown_without_a_terminal(capsys):
    model().fit(X, Y, batch_size=2, epochs=2, verbose=1)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Epoch 1/2" and lines[1].startswith("4/4 ") and " - loss: " in lines[1]
    assert len(lines) == 4
    model().fit(X, Y, batch_size=2, verbose=2)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("4/4 - ") and "/step - loss: 0." in line
    model().fit(X, Y, verbose=0)
    assert capsys.readouterr().out == ""


def test_tensorboard_writes_both_folders(tmp_path):
    board = resolve("keras.callbacks.TensorBoard")(str(tmp_path), histogram_freq=1, update_freq=1)
    model().fit(X, Y, batch_size=4, epochs=2, verbose=0, validation_data=(X, Y), callbacks=[board])
    train = next((tmp_path / "train").iterdir()).read_bytes()
    validation = next((tmp_path / "validation").iterdir()).read_bytes()
    assert train.count(b"epoch_loss") == 2 and train.count(b"batch_loss") == 4 and b"kernel" in train
    assert validation.count(b"epoch_mae") == 2
    with pytest.raises(NotImplementedError, match="write_images"):
        resolve("keras.callbacks.TensorBoard")(write_images=True)
