from __future__ import annotations

import numpy as np
import pytest

import kops as ops
from klayers.input_layer import Input
from klayers.layer import Layer
from klayers.layers.dense import Dense
from kops.config import settings
from kspec import resolve
from ktrain.data.py_dataset import PyDataset
from ktrain.models import Model, Sequential
from ktrain.optimizers.adam import Adam
from ktrain.optimizers.schedules.decay import ExponentialDecay
from ktrain.optimizers.sgd import SGD

TRAINS = settings.backend in ("jax", "torch", "tensorflow")
training = pytest.mark.skipif(not TRAINS, reason="this engine computes no gradients")

rng = np.random.default_rng(0)
X = rng.normal(size=(20, 3)).astype("float32")
Y = (X @ np.array([[1.0], [-2.0], [0.5]]) + 0.3).astype("float32")


def linear(**compile_options):
    model = Sequential([Input((3,)), Dense(1, kernel_initializer="zeros")])
    model.compile(**{"optimizer": SGD(0.1), "loss": "mse", **compile_options})
    return model


def by_hand(batches, rate=0.1, weights=None):
    """Gradient descent on the mean squared error of a linear model that starts from zeros."""
    w, b = np.zeros((3, 1)), np.zeros((1,))
    for i, (x, y) in enumerate(batches):
        error = x @ w + b - y
        scale = np.ones_like(error) if weights is None else weights[i][:, None]
        w = w - rate * 2 * x.T @ (error * scale) / len(x)
        b = b - rate * 2 * (error * scale).sum(0) / len(x)
    return w, b


def split(size, *arrays):
    return [tuple(a[i : i + size] for a in arrays) for i in range(0, len(arrays[0]), size)]


def check_weights(model, expected):
    for got, want in zip(model.get_weights(), expected):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@training
@pytest.mark.parametrize("options", [{}, {"steps_per_execution": 2}, {"run_eagerly": True}], ids=str)
def test_fit_is_gradient_descent(options):
    model = linear(**options)
    history = model.fit(X, Y, batch_size=8, epochs=2, shuffle=False, verbose=0)
    check_weights(model, by_hand(split(8, X, Y) * 2))
    assert history.epoch == [0, 1] and len(history.history["loss"]) == 2
    assert history.history["loss"][1] < history.history["loss"][0]
    assert model.optimizer.iterations.numpy() == 6


@training
def test_the_loss_of_an_epoch_is_the_mean_over_its_samples():
    model = linear(optimizer=SGD(0.0))
    loss = model.fit(X, Y, batch_size=8, verbose=0).history["loss"][0]
    np.testing.assert_allclose(loss, np.mean(Y**2), rtol=1e-5)
    np.testing.assert_allclose(model.evaluate(X, Y, batch_size=6, verbose=0), np.mean(Y**2), rtol=1e-5)


@training
def test_sample_and_class_weights():
    weights = np.linspace(0, 2, 20).astype("float32")
    model = linear()
    model.fit(X, Y, batch_size=20, sample_weight=weights, verbose=0)
    check_weights(model, by_hand([(X, Y)], weights=[weights]))
    labels = (np.arange(20) % 2)[:, None].astype("float32")
    model = linear()
    model.fit(X, labels, batch_size=20, class_weight={1: 3.0}, verbose=0)
    check_weights(model, by_hand([(X, labels)], weights=[1.0 + 2.0 * labels[:, 0]]))


@training
def test_train_on_batch_then_evaluate_and_predict():
    model = linear(metrics=["mae"])
    first = model.train_on_batch(X, Y, return_dict=True)
    np.testing.assert_allclose(first["loss"], np.mean(Y**2), rtol=1e-5)
    w, b = by_hand([(X, Y)])
    check_weights(model, (w, b))
    predicted = X @ w + b
    np.testing.assert_allclose(model.predict(X, batch_size=7, verbose=0), predicted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model.predict_on_batch(X[:2]), predicted[:2], rtol=1e-4, atol=1e-5)
    model.reset_metrics()
    np.testing.assert_allclose(
        model.test_on_batch(X, Y), [np.mean((predicted - Y) ** 2), np.mean(np.abs(predicted - Y))], rtol=1e-4
    )


def test_metrics_of_single_batches_are_those_of_the_batch():
    model = linear(metrics=["mae"])
    far = Y + 10.0
    model.test_on_batch(X, far)
    alone = model.test_on_batch(X, Y, return_dict=True)
    np.testing.assert_allclose(alone["mae"], np.mean(np.abs(model.predict(X, verbose=0) - Y)), rtol=1e-5)


def test_outputs_in_structures_are_named_by_their_paths():
    x = Input((3,))
    a, b, c = (Dense(1, name=name)(x) for name in ("a", "b", "c"))
    model = Model(x, {"first": a, "rest": [[b, c]]})
    model.compile(loss="mse", metrics={"first": ["mae"], "rest": [["mae", None]]})
    logs = model.evaluate(X, {"first": Y, "rest": [[Y, Y]]}, verbose=0, return_dict=True)
    assert sorted(logs) == ["a_mae", "b_mae", "first_loss", "loss", "rest/0/b_loss", "rest/0/c_loss"]
    first = model.predict(X, verbose=0)["first"]
    np.testing.assert_allclose(logs["first_loss"], np.mean((first - Y) ** 2), rtol=1e-4)
    total = logs["first_loss"] + logs["rest/0/b_loss"] + logs["rest/0/c_loss"]
    np.testing.assert_allclose(logs["loss"], total, rtol=1e-4)
    model = Model(x, [a, {"k": b}])
    model.compile(loss="mse")
    logs = model.evaluate(X, [Y, {"k": Y}], verbose=0, return_dict=True)
    assert sorted(logs) == ["1/k_loss", "a_loss", "loss"]


def test_a_batch_counts_by_its_samples():
    metric = resolve("keras.metrics.BinaryAccuracy")(threshold=0.0)  # of logits
    right = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]], "float32")
    given = np.array([[2.0, -1.0, -1.0], [3.0, -1.0, 2.0]], "float32")
    metric.update_state(right, given)
    metric.update_state(right, given, sample_weight=np.array([1.0, 3.0], "float32"))
    state = [float(ops.convert_to_numpy(v)) for v in metric.variables]
    np.testing.assert_allclose(state, [2 / 3 + 1 / 3 + 2 / 3 + 3 / 3, 2 + 4], rtol=1e-6)
    mean = resolve("keras.metrics.Mean")()
    mean.update_state(np.arange(12.0).reshape(2, 3, 2), sample_weight=np.ones((2, 3, 1), "float32"))
    np.testing.assert_allclose([float(ops.convert_to_numpy(v)) for v in mean.variables], [2.5 + 8.5, 2.0], rtol=1e-6)


def test_the_learning_rate_is_as_exact_as_floatx():
    before = settings.floatx
    try:
        settings.floatx = "float64"
        optimizer = SGD(0.1)
        assert str(optimizer.variables[1].dtype).endswith("float64")
        assert optimizer.get_config()["learning_rate"] == (0.1 if settings.backend != "jax" else np.float32(0.1))
    finally:
        settings.floatx = before


def test_evaluate_and_predict_on_every_engine():
    model = Sequential([Input((3,)), Dense(1, kernel_initializer="ones", bias_initializer="ones")])
    model.compile(loss="mse", metrics=["mae"])
    predicted = X.sum(1, keepdims=True) + 1
    np.testing.assert_allclose(model.predict(X, verbose=0, batch_size=6), predicted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model.predict(X[:1], verbose=0), predicted[:1], rtol=1e-4, atol=1e-5)
    result = model.evaluate(X, Y, verbose=0, batch_size=7, return_dict=True)
    np.testing.assert_allclose(result["loss"], np.mean((predicted - Y) ** 2), rtol=1e-4)
    np.testing.assert_allclose(result["mae"], np.mean(np.abs(predicted - Y)), rtol=1e-4)


@pytest.mark.skipif(TRAINS, reason="this engine trains")
def test_an_engine_without_gradients_names_those_that_train():
    with pytest.raises(NotImplementedError, match="jax, torch or tensorflow"):
        linear().fit(X, Y)


@training
def test_validation_split_and_data_agree():
    split_model, data_model = linear(metrics=["mae"]), linear(metrics=["mae"])
    a = split_model.fit(X, Y, validation_split=0.25, epochs=2, shuffle=False, verbose=0).history
    b = data_model.fit(X[:15], Y[:15], validation_data=(X[15:], Y[15:]), epochs=2, shuffle=False, verbose=0).history
    assert sorted(a) == ["loss", "mae", "val_loss", "val_mae"]
    for name in a:
        np.testing.assert_allclose(a[name], b[name], rtol=1e-5)


@training
def test_data_of_all_kinds_trains_alike():
    class Batches(PyDataset):
        def __len__(self):
            return 3

        def __getitem__(self, i):
            return X[i * 8 : i * 8 + 8], Y[i * 8 : i * 8 + 8]

    expected = by_hand(split(8, X, Y))
    for data in (Batches(workers=2), (batch for batch in split(8, X, Y))):
        model = linear()
        model.fit(data, shuffle=False, verbose=0)
        check_weights(model, expected)


@training
def test_several_outputs():
    x = Input((3,))
    model = Model(
        x, [Dense(1, name="a", kernel_initializer="ones")(x), Dense(2, name="b", kernel_initializer="zeros")(x)]
    )
    y = [Y, np.ones((20, 2), "float32")]
    model.compile(SGD(0.0), ["mse", "mae"], metrics=[["mae"], ["mse"]], loss_weights=[1.0, 0.5])
    logs = model.fit(X, y, verbose=0).history
    a = X.sum(1, keepdims=True)
    np.testing.assert_allclose(logs["a_loss"][0], np.mean((a - Y) ** 2), rtol=1e-4)
    np.testing.assert_allclose(logs["b_loss"][0], 1.0, rtol=1e-5)
    np.testing.assert_allclose(logs["loss"][0], logs["a_loss"][0] + 0.5, rtol=1e-4)
    np.testing.assert_allclose(logs["a_mae"][0], np.mean(np.abs(a - Y)), rtol=1e-4)
    assert sorted(logs) == ["a_loss", "a_mae", "b_loss", "b_mse", "loss"]
    model.compile(SGD(0.0), {"a": "mse", "b": "mae"}, metrics={"b": "mse"})
    logs = model.fit(X, {"a": y[0], "b": y[1]}, verbose=0).history
    assert sorted(logs) == ["a_loss", "b_loss", "b_mse", "loss"]
    with pytest.raises(ValueError, match="has the key 'aa'.*Did you mean 'a'"):
        model.compile("sgd", {"aa": "mse", "b": "mae"})
        model.fit(X, y, verbose=0)
    with pytest.raises(ValueError, match="2 outputs.*y has 1"):
        model.compile("sgd", "mse")
        model.fit(X, Y, verbose=0)


@training
def test_dictionary_outputs():
    x = Input((3,))
    model = Model(x, {"p": Dense(1, name="d1")(x), "q": Dense(1, name="d2")(x)})
    model.compile("sgd", {"p": "mse", "q": "mae"}, metrics={"p": ["mae"]})
    logs = model.fit(X, {"p": Y, "q": Y}, verbose=0).history
    assert sorted(logs) == ["loss", "p_loss", "p_mae", "q_loss"]
    assert set(model.predict(X, verbose=0)) == {"p", "q"}


@training
def test_accuracy_fits_the_labels():
    labels = np.arange(20) % 3
    for y, loss, size, activation in (
        (labels, "sparse_categorical_crossentropy", 3, "softmax"),
        (np.eye(3)[labels], "categorical_crossentropy", 3, "softmax"),
        ((labels > 0).astype("float32")[:, None], "binary_crossentropy", 1, "sigmoid"),
    ):
        model = Sequential([Dense(size, activation=activation)])
        model.compile(SGD(0.0), loss, metrics=["accuracy"])
        accuracy = model.fit(X, y, verbose=0).history["accuracy"][0]
        predicted = model.predict(X, verbose=0)
        chosen = predicted.argmax(1) if size > 1 else (predicted[:, 0] > 0.5).astype(int)
        np.testing.assert_allclose(accuracy, np.mean(chosen == (labels if size > 1 else labels > 0)), rtol=1e-5)


@training
def test_weighted_metrics_use_the_weights():
    weights = np.linspace(0, 1, 20).astype("float32")
    model = linear(optimizer=SGD(0.0), metrics=["mae"], weighted_metrics=["mae"])
    logs = model.fit(X, Y, sample_weight=weights, verbose=0).history
    np.testing.assert_allclose(logs["mae"][0], np.mean(np.abs(Y)), rtol=1e-4)
    np.testing.assert_allclose(logs["weighted_mae"][0], np.sum(np.abs(Y)[:, 0] * weights) / weights.sum(), rtol=1e-4)


@training
def test_penalties_and_added_losses_count():
    class Penalty(Layer):
        def call(self, x):
            self.add_loss(0.5 * ops.mean(x))
            return x

    model = Sequential([Input((3,)), Penalty(), Dense(1, kernel_initializer="ones", kernel_regularizer="l2")])
    model.compile(SGD(0.0), "mse")
    loss = model.fit(X, Y, batch_size=20, verbose=0).history["loss"][0]
    expected = np.mean((X.sum(1, keepdims=True) - Y) ** 2) + 0.01 * 3 + 0.5 * X.mean()
    np.testing.assert_allclose(loss, expected, rtol=1e-4)


@training
def test_custom_compute_loss_and_metric_and_function():
    class Mine(Sequential):
        def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None):
            return ops.mean(ops.abs(y - y_pred))

    def offset(y_true, y_pred):
        return y_pred - y_true + 1.0

    model = Mine([Input((3,)), Dense(1, kernel_initializer="zeros")])
    model.compile(SGD(0.0), metrics=[offset])
    logs = model.fit(X, Y, verbose=0, batch_size=20).history
    np.testing.assert_allclose(logs["loss"][0], np.mean(np.abs(Y)), rtol=1e-5)
    np.testing.assert_allclose(logs["offset"][0], np.mean(1 - Y), rtol=1e-4)


@training
def test_custom_train_step():
    class Doubled(Sequential):
        """Two updates with the same gradient for each batch."""

        if settings.backend == "jax":

            def train_step(self, state, data):
                logs, state = super().train_step(state, data)
                return super().train_step(state, data)
        else:

            def train_step(self, data):
                super().train_step(data)
                return super().train_step(data)

    model = Doubled([Input((3,)), Dense(1, kernel_initializer="zeros")])
    model.compile(SGD(0.1), "mse")
    logs = model.fit(X, Y, batch_size=10, shuffle=False, verbose=0).history
    check_weights(model, by_hand([b for b in split(10, X, Y) for _ in range(2)]))
    assert list(logs) == ["loss"]


@training
@pytest.mark.parametrize("option", ["clipnorm", "ema", "accumulation", "schedule", "scale"])
def test_optimizer_features_in_fit(option):
    optimizer = {
        "clipnorm": lambda: SGD(0.1, clipnorm=0.1),
        "ema": lambda: Adam(0.05, use_ema=True),
        "accumulation": lambda: SGD(0.1, gradient_accumulation_steps=2),
        "schedule": lambda: SGD(ExponentialDecay(0.1, 2, 0.5)),
        "scale": lambda: resolve("keras.optimizers.LossScaleOptimizer")(SGD(0.1), initial_scale=8.0),
    }[option]()
    model = linear(optimizer=optimizer)
    model.fit(X, Y, batch_size=10, epochs=2, shuffle=False, verbose=0)
    weights = model.get_weights()
    assert all(np.isfinite(w).all() and np.any(w) for w in weights)
    if option == "accumulation":
        check_weights(model, by_hand([(X, Y)] * 2))
    elif option == "scale":
        check_weights(model, by_hand(split(10, X, Y) * 2))


@training
def test_changing_the_learning_rate_between_epochs():
    model = linear()
    model.fit(X, Y, batch_size=20, verbose=0)
    model.optimizer.learning_rate = 0.0
    before = model.get_weights()
    model.fit(X, Y, batch_size=20, verbose=0)
    check_weights(model, before)


@training
def test_frozen_layers_stay():
    model = Sequential([Input((3,)), Dense(2, name="frozen"), Dense(1)])
    model.layers[0].trainable = False
    model.compile(SGD(0.1), "mse")
    before = model.get_weights()
    model.fit(X, Y, verbose=0)
    after = model.get_weights()
    np.testing.assert_array_equal(before[0], after[0])
    assert np.abs(before[2] - after[2]).max() > 0


@training
def test_subclassed_model_is_built_by_fit():
    class Net(Model):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.hidden = Dense(4, activation="relu")
            self.out = Dense(1)

        def call(self, x, training=False):
            return self.out(self.hidden(x))

    model = Net()
    model.compile(Adam(0.05), "mse", metrics=["mse"])
    history = model.fit(X, Y, epochs=30, verbose=0).history
    assert history["loss"][-1] < 0.5 * history["loss"][0]
    np.testing.assert_allclose(history["loss"], history["mse"], rtol=1e-4)


@training
def test_state_tree_round_trip():
    model = linear(optimizer=Adam(0.1))
    model.fit(X, Y, verbose=0)
    tree = model.get_state_tree("numpy_array")
    other = linear(optimizer=Adam(0.1))
    assert set(tree) == {"trainable_variables", "non_trainable_variables", "optimizer_variables", "metrics_variables"}
    with pytest.raises(ValueError, match="no variable"):
        other.set_state_tree({"trainable_variables": {"nothing": np.zeros(())}})
    mine = model.get_state_tree()
    model.set_state_tree(mine)
    check_weights(model, model.get_weights())


@training
def test_saved_and_loaded_it_goes_on_as_if_nothing_had_happened(tmp_path):
    from ksave import load_model

    model = linear(optimizer=Adam(0.1), metrics=["mae"])
    model.fit(X, Y, shuffle=False, verbose=0)
    path = tmp_path / "m.keras"
    model.save(path)
    loaded = load_model(path)
    assert isinstance(loaded, Sequential) and type(loaded.optimizer) is Adam
    a = model.fit(X, Y, epochs=2, shuffle=False, verbose=0).history
    b = loaded.fit(X, Y, epochs=2, shuffle=False, verbose=0).history
    for name in a:
        np.testing.assert_allclose(a[name], b[name], rtol=1e-5)
    check_weights(loaded, model.get_weights())


@training
def test_compile_config_round_trip():
    x = Input((3,))
    model = Model(x, Dense(1)(x))
    loss = resolve("keras.losses.Huber")(delta=0.5)
    model.compile(Adam(0.01), loss, metrics=["mae", resolve("keras.metrics.AUC")(name="roc")])
    config = model.get_compile_config()
    other = Model(x, Dense(1)(x))
    other.compile_from_config(config)
    assert other.get_compile_config() == config
    assert other.loss._fn_kwargs["delta"] == 0.5


def test_names_that_nobody_knows():
    model = Sequential([Input((3,)), Dense(1)])
    with pytest.raises(ValueError, match="Unknown loss 'mean_square_error'.*mean_squared_error"):
        model.compile("sgd", "mean_square_error")
    with pytest.raises(ValueError, match="Unknown metric 'acuracy'.*accuracy"):
        model.compile("sgd", "mse", metrics=["acuracy"])
    with pytest.raises(ValueError, match="Unknown optimizer 'adm'.*adam"):
        model.compile("adm", "mse")
    with pytest.raises(ValueError, match="metrics is a list"):
        model.compile("sgd", "mse", metrics="mae")


@training
def test_misuse_is_explained():
    model = Sequential([Input((3,)), Dense(1)])
    with pytest.raises(ValueError, match=r"Call compile\(\) first"):
        model.fit(X, Y)
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match="same number of samples.*x: 20.*y: 19"):
        model.fit(X, Y[:19], verbose=0)
    with pytest.raises(ValueError, match="no samples"):
        model.fit(X[:0], Y[:0], verbose=0)
    with pytest.raises(ValueError, match="no labels"):
        model.fit(X, verbose=0)
    with pytest.raises(ValueError, match="steps_per_epoch must be positive"):
        model.fit(X, Y, steps_per_epoch=0, verbose=0)
    model.compile("sgd")
    with pytest.raises(ValueError, match="nothing to minimise"):
        model.fit(X, Y, verbose=0)


@training
def test_masked_steps_do_not_count():
    class Steps(Layer):
        """Masks steps whose first feature is zero."""

        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.supports_masking = True

        def call(self, x):
            return x

        def compute_mask(self, inputs, previous_mask):
            return ops.any(ops.not_equal(inputs, 0.0), axis=-1)

    x = rng.normal(size=(4, 5, 3)).astype("float32")
    x[0, 2:] = 0
    x[3, 1:] = 0
    y = rng.normal(size=(4, 5, 1)).astype("float32")
    model = Sequential([Input((5, 3)), Steps(), Dense(1, kernel_initializer="ones")])
    model.compile(SGD(0.0), "mse", weighted_metrics=["mae"])
    logs = model.fit(x, y, verbose=0).history
    valid = np.any(x != 0, axis=-1)
    error = (x.sum(-1) - y[..., 0])[valid]
    np.testing.assert_allclose(logs["loss"][0], np.mean(error**2), rtol=1e-4)
    np.testing.assert_allclose(logs["mae"][0], np.mean(np.abs(error)), rtol=1e-4)


@training
def test_mixed_precision_scales_the_loss():
    model = Sequential([Input((3,)), Dense(1, kernel_initializer="zeros", dtype="mixed_float16")])
    model.dtype_policy = "mixed_float16"
    model.compile(SGD(0.1), "mse")
    assert type(model.optimizer).__name__ == "LossScaleOptimizer"
    model.optimizer.dynamic_scale.assign(8.0)  # the first steps with the usual scale overflow and are left out
    model.fit(X, Y, batch_size=20, verbose=0)
    for got, want in zip(model.get_weights(), by_hand([(X, Y)])):
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, want, rtol=5e-3, atol=5e-3)


@training
def test_gradients_that_are_not_finite_leave_the_weights_alone():
    optimizer = resolve("keras.optimizers.LossScaleOptimizer")(SGD(0.1), initial_scale=8.0)
    model = linear(optimizer=optimizer)
    before = model.get_weights()
    model.fit(X, Y * np.inf, batch_size=20, verbose=0)
    check_weights(model, before)
    assert float(ops.convert_to_numpy(optimizer.dynamic_scale)) == 4.0


@training
@pytest.mark.parametrize("jit", [True, False])
def test_compiled_and_uncompiled_steps_agree(jit):
    model = linear(jit_compile=jit)
    assert model.jit_compile is jit
    model.fit(X, Y, batch_size=10, shuffle=False, verbose=0)
    check_weights(model, by_hand(split(10, X, Y)))


@training
def test_tf_data_trains_on_every_engine():
    tf = pytest.importorskip("tensorflow")
    model = linear()
    model.fit(tf.data.Dataset.from_tensor_slices((X, Y)).batch(8), verbose=0, epochs=2)
    check_weights(model, by_hand(split(8, X, Y) * 2))
    with pytest.raises(ValueError, match="no batches"):
        model.fit(tf.data.Dataset.from_tensor_slices((X[:0], Y[:0])).batch(8), verbose=0)


@training
def test_stateful_layers_keep_their_state():
    from klayers.layers.batch_normalization import BatchNormalization

    model = Sequential([Input((3,)), BatchNormalization(momentum=0.0), Dense(1)])
    model.compile(SGD(0.01), "mse")
    model.fit(X, Y, batch_size=20, verbose=0)
    _, _, mean, variance, *_ = model.layers[0].get_weights()
    np.testing.assert_allclose(mean, X.mean(0), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(variance, X.var(0), rtol=1e-3)
    model.predict(X, verbose=0)
    model.evaluate(X, Y, verbose=0)
    np.testing.assert_allclose(model.layers[0].get_weights()[2], mean)
