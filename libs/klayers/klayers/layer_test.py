"""What every layer can do, shown on small layers of our own."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import ksave
from klayers.input_layer import Input
from klayers.input_spec import InputSpec
from klayers.layer import Layer
from klayers.layers.dense import Dense
from klayers.model import Model
from kops import config
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.scopes import StatelessScope
from kops.variable import Variable

TRAINS = config.backend() in ("jax", "torch", "tensorflow")


def tensor(x, dtype="float32"):
    return engine().convert(np.asarray(x, dtype), None)


def array(x):
    return engine().to_numpy(x)


class Scale(Layer):
    def __init__(self, factor=2.0, **kwargs):
        super().__init__(**kwargs)
        self.factor = factor

    def build(self, input_shape):
        self.shift = self.add_weight(shape=(input_shape[-1],), initializer="ones", name="shift")
        self.count = self.add_weight(shape=(), initializer="zeros", trainable=False, name="count")

    def call(self, x, training=False):
        if training:
            self.count.assign_add(1.0)
        return x * self.factor + self.shift


class Twice(Layer):
    """A layer of layers without a build of its own."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.parts = [Scale(name="one"), {"two": Scale(3.0, name="two")}]

    def call(self, x):
        return self.parts[1]["two"](self.parts[0](x))


def test_builds_at_the_first_call_and_computes():
    layer = Scale()
    assert not layer.built
    y = layer(tensor([[1.0, 2.0]]))
    np.testing.assert_allclose(array(y), [[3.0, 5.0]])
    assert layer.built and [v.path for v in layer.weights] == ["scale/shift", "scale/count"]


def test_weights_are_sorted_by_trainability():
    layer = Scale()
    layer.build((None, 2))
    assert [v.name for v in layer.trainable_variables] == ["shift"]
    assert [v.name for v in layer.non_trainable_variables] == ["count"]
    layer.trainable = False
    assert layer.trainable_variables == [] and len(layer.non_trainable_variables) == 2
    assert layer.count_params() == 3


def test_layers_in_containers_are_found():
    layer = Twice()
    y = layer(tensor(np.ones((2, 3))))
    np.testing.assert_allclose(array(y), np.full((2, 3), (1 * 2 + 1) * 3 + 1.0))
    assert [v.path for v in layer.trainable_variables] == ["twice/one/shift", "twice/two/shift"]
    assert isinstance(layer.parts, list) and type(layer.parts[1]) is dict


def test_lists_that_grow_are_followed():
    layer = Twice()
    layer.parts.append(Scale(name="late"))
    layer(tensor(np.ones((2, 3))))
    layer.parts[2].build((None, 3))
    assert len(layer.trainable_variables) == 3


def test_training_flag_is_passed_down():
    layer = Twice()
    x = tensor(np.ones((2, 3)))
    layer(x)
    layer(x)
    assert float(layer.parts[0].count) == 0
    layer(x, training=True)
    layer(x, training=True)
    assert float(layer.parts[0].count) == 2
    layer(x)
    assert float(layer.parts[0].count) == 2


def test_float_inputs_are_cast_and_ints_are_not():
    seen = []

    class Look(Layer):
        def call(self, x):
            seen.append(engine().dtype_name(x))
            return x

    layer = Look()
    layer(np.ones((2, 2), "float64"))
    layer(np.ones((2, 2), "int32"))
    Look(dtype="float16")(np.ones((2, 2), "float32"))
    assert seen == ["float32", "int32", "float16"]


def test_mixed_precision_reads_variables_in_the_compute_dtype():
    layer = Dense(3, dtype="mixed_float16")
    y = layer(tensor(np.ones((2, 4))))
    assert engine().dtype_name(y) == "float16"
    assert layer.kernel.dtype == "float32" and layer.compute_dtype == "float16"


def test_a_float32_layer_inside_a_mixed_one_keeps_its_dtype():
    class Outer(Layer):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.inner = Dense(2, dtype="float32")

        def call(self, x):
            y = self.inner(x)
            assert engine().dtype_name(y) == "float32"
            return y

    Outer(dtype="mixed_float16")(tensor(np.ones((2, 4))))


def test_symbolic_call_gives_shape_and_dtype():
    y = Dense(3)(Input((4,)))
    assert isinstance(y, KerasTensor) and y.shape == (None, 3) and y.dtype == "float32"


def test_input_spec_is_checked_on_the_fast_path_too():
    layer = Dense(3)
    x = tensor(np.ones((2, 4)))
    layer(x)
    layer(x)
    for wrong in (np.ones((4,)), np.ones((2, 5))):
        with pytest.raises(ValueError, match="dense"):
            layer(tensor(wrong))


def test_unknown_arguments_are_named():
    with pytest.raises(TypeError, match="colour"):
        Dense(3, colour="red")
    layer = Scale()
    with pytest.raises(TypeError, match="'wrong'"):
        layer(tensor([[1.0]]), wrong=1)
    with pytest.raises(TypeError, match="missing its argument 'x'"):
        layer()


def test_forgotten_super_init_is_said():
    class Forgetful(Layer):
        def __init__(self):
            self.a = 1

        def call(self, x):
            return x

    with pytest.raises(RuntimeError, match="super"):
        Forgetful()(tensor([1.0]))


def test_adding_weights_after_build_is_refused():
    layer = Scale()
    layer.build((None, 2))
    with pytest.raises(ValueError, match="built already"):
        layer.add_weight(shape=(1,))


def test_add_loss_holds_the_losses_of_the_last_call():
    class Penalty(Layer):
        def call(self, x):
            self.add_loss(x[0, 0] * 2.0)
            return x

    class Two(Layer):
        def __init__(self):
            super().__init__()
            self.a, self.b = Penalty(), Penalty()

        def call(self, x):
            return self.b(self.a(x) + 1.0)

    layer = Two()
    for value in (1.0, 5.0):
        layer(tensor([[value]]))
        assert [float(array(x)) for x in layer.losses] == [2 * value, 2 * value + 2]


def test_regularizers_are_losses():
    layer = Dense(2, kernel_regularizer="l2", kernel_initializer="ones", activity_regularizer="l1")
    layer(tensor(np.ones((4, 3))))
    activity, penalty = (float(array(x)) for x in layer.losses)
    assert penalty == pytest.approx(0.01 * 6)
    assert activity == pytest.approx(0.01 * (4 * 2 * 3) / 4)


def test_stateless_call_changes_nothing():
    layer = Scale()
    x = tensor([[1.0, 2.0]])
    layer.build((None, 2))
    shift, count = tensor([10.0, 20.0]), tensor(7.0)
    y, state = layer.stateless_call([shift], [count], x, training=True)
    np.testing.assert_allclose(array(y), [[12.0, 24.0]])
    assert float(array(state[0])) == 8 and float(layer.count) == 0
    with pytest.raises(ValueError, match="1 trainable_variables, but 0"):
        layer.stateless_call([], [count], x)


def test_stateless_losses():
    layer = Dense(2, kernel_regularizer="l2", kernel_initializer="ones", use_bias=False)
    layer.build((None, 3))
    _, _, losses = layer.stateless_call([tensor(np.full((3, 2), 2.0))], [], tensor(np.ones((1, 3))), return_losses=True)
    assert [float(array(x)) for x in losses] == [pytest.approx(0.01 * 24)]


def test_get_and_set_weights():
    layer = Scale()
    layer.build((None, 2))
    layer.set_weights([np.array([3.0, 4.0]), np.array(5.0)])
    np.testing.assert_allclose(layer.get_weights()[0], [3.0, 4.0])
    with pytest.raises(ValueError, match="shift"):
        layer.set_weights([np.zeros(3), np.array(5.0)])
    np.testing.assert_allclose(layer.get_weights()[0], [3.0, 4.0])


def test_config_round_trip():
    layer = Dense(3, activation="relu", kernel_regularizer="l2", name="d", dtype="mixed_float16")
    again = Dense.from_config(layer.get_config())
    assert again.get_config() == layer.get_config() and again.name == "d"


def test_config_of_a_layer_without_get_config():
    class Plain(Layer):
        def __init__(self, units, mode="a"):
            super().__init__()
            self.units, self.mode = units, mode

        def call(self, x):
            return x

    layer = Plain(3, mode="b")
    again = Plain.from_config(layer.get_config())
    assert (again.units, again.mode, again.name) == (3, "b", layer.name)


def test_masks_travel_and_are_used():
    class Source(Layer):
        def compute_mask(self, inputs, previous_mask=None):
            return inputs[..., 0] > 0

        def call(self, x):
            return x

    class Sink(Layer):
        def call(self, x, mask=None):
            assert mask is not None
            return x[..., 0] * engine().cast(mask, "float32")

    class Through(Layer):
        def __init__(self):
            super().__init__()
            self.supports_masking = True

        def call(self, x):
            return x + 10.0

    y = Sink()(Through()(Source()(tensor([[[1.0], [-1.0]]]))))
    np.testing.assert_allclose(array(y), [[11.0, 0.0]])


def test_deepcopy_is_independent():
    layer = Scale()
    x = tensor([[1.0, 2.0]])
    layer(x)
    twin = copy.deepcopy(layer)
    twin.shift.assign([0.0, 0.0])
    np.testing.assert_allclose(array(layer(x)), [[3.0, 5.0]])
    np.testing.assert_allclose(array(twin(x)), [[2.0, 4.0]])


def test_build_with_several_shapes():
    class Pair(Layer):
        def build(self, left_shape, right_shape):
            self.w = self.add_weight(shape=(left_shape[-1], right_shape[0]), initializer="ones")

        def call(self, left, right):
            return left @ self.w @ right

    layer = Pair()
    layer(tensor(np.ones((1, 2))), tensor(np.ones((3, 1))))
    assert layer.w.shape == (2, 3)
    assert layer.get_build_config() == {"shapes_dict": {"left_shape": (1, 2), "right_shape": (3, 1)}}


def test_variables_made_inside_a_stateless_scope_are_initialized_after_it():
    layer = Scale()
    with StatelessScope():
        layer.build((None, 2))
    np.testing.assert_allclose(layer.shift.numpy(), [1.0, 1.0])


def test_input_spec_takes_only_specs():
    layer = Scale()
    layer.input_spec = InputSpec(ndim=2)
    with pytest.raises(TypeError, match="InputSpec"):
        layer.input_spec = 3


def test_a_directly_assigned_variable_belongs_to_the_layer():
    class Holder(Layer):
        def __init__(self):
            super().__init__()
            self.v = Variable([1.0, 2.0], name="v")

        def call(self, x):
            return x * self.v

    assert [v.name for v in Holder().trainable_variables] == ["v"]


def test_native_citizenship():
    layer = Twice()
    x = tensor(np.ones((2, 3)))
    layer(x)
    if config.backend() == "torch":
        import torch

        assert sum(1 for p in layer.parameters() if p.requires_grad) == 2
        assert "parts_0.shift" in layer.state_dict()
        calls = []
        layer.register_forward_hook(lambda *a: calls.append(1))
        layer(x)
        assert calls == [1]
        assert layer.to(torch.float64).parts[0].shift.native.dtype == torch.float64
    if config.backend() == "tensorflow":
        assert set(layer._trackable_children()) == {"parts_0", "parts_1_two"}


@pytest.mark.skipif(not TRAINS, reason="this engine has no compiler that traces Python")
def test_compiled_calls_agree():
    layer = Twice()
    x = tensor(np.arange(6).reshape(2, 3))
    eager = array(layer(x))
    if config.backend() == "jax":
        state = [v.value for v in layer.trainable_variables], [v.value for v in layer.non_trainable_variables]
        compiled = engine().jit(lambda t, n, a: layer.stateless_call(t, n, a)[0])(*state, x)
    elif config.backend() == "torch":
        import torch

        compiled = torch.compile(lambda a: layer(a), fullgraph=True, backend="eager")(x)
    else:
        import tensorflow as tf

        compiled = tf.function(layer, input_signature=[tf.TensorSpec((None, 3))])(x)
    np.testing.assert_allclose(array(compiled), eager)


def test_a_layer_of_layers_is_built_by_shape():
    layer = Twice(name="twice")
    layer.build((None, 3))
    assert [v.path for v in layer.trainable_variables] == ["twice/one/shift", "twice/two/shift"]
    again = Twice()
    again.build_from_config(layer.get_build_config())
    assert len(again.weights) == 4


def test_build_config_of_layers_that_take_structures():
    class Pick(Layer):
        def call(self, data):
            return data["a"]

    class Two(Layer):
        def call(self, left, right=None):
            return left

    one = np.ones((2, 3), "float32")
    layer = Pick()
    layer({"a": one, "b": one})
    assert layer.get_build_config() == {"input_shape": {"a": (2, 3), "b": (2, 3)}}
    Pick().build_from_config(layer.get_build_config())
    layer = Two()
    layer(one, one)
    again = Two()
    again.build_from_config(layer.get_build_config())
    assert again.built


def test_a_config_that_asks_for_more_memory_than_the_file_has_is_refused(tmp_path):
    import json
    import zipfile

    from klayers.sequential import Sequential

    path = tmp_path / "m.keras"
    Sequential([Input((4,)), Dense(3)]).save(path)
    with zipfile.ZipFile(path) as source:
        members = {n: source.read(n) for n in source.namelist()}
    config = json.loads(members["config.json"])
    config["config"]["layers"][1]["config"]["units"] = 2**40
    members["config.json"] = json.dumps(config).encode()
    with zipfile.ZipFile(path, "w") as target:
        for name, data in members.items():
            target.writestr(name, data)
    with pytest.raises(ValueError, match="memory"):
        ksave.load_model(path)


def test_the_training_flag_may_be_given_by_position():
    from klayers.layers.dropout import Dropout
    from klayers.model import Model
    from klayers.sequential import Sequential

    x = tensor(np.ones((4, 50)))
    inputs = Input((50,))
    for model in (Sequential([Input((50,)), Dropout(0.5)]), Model(inputs, Dropout(0.5)(inputs))):
        assert (array(model(x, True)) == 0).any()
        assert not (array(model(x, False)) == 0).any()
        assert not (array(model(x)) == 0).any()


def test_remat_scope_holds_for_layers_called_before():
    from kops.remat import RematScope

    wrapped = []

    class Twofold(Layer):
        def call(self, x):
            return x * 2.0

        def rematerialized_call(self, layer_call, *args, **kwargs):
            wrapped.append(self.name)
            return super().rematerialized_call(layer_call, *args, **kwargs)

    layer = Twofold(name="twofold")
    x = tensor(np.ones((2, 3)))
    layer(x)
    layer(x)
    with RematScope("full"):
        np.testing.assert_allclose(array(layer(x)), np.full((2, 3), 2.0))
    with RematScope("list_of_layers", layer_names=["another"]):
        layer(x)
    assert wrapped == ["twofold"]


def test_a_layer_of_whole_numbers_takes_floats():
    layer = Layer(dtype="int64")
    layer.call = lambda x: x
    x = np.array([-1.75, 0.5], "float32")
    assert engine().to_numpy(layer(x)).tolist() == x.tolist()


def test_a_graph_has_no_casts_of_its_own():
    x = Input((3,))
    y = Dense(2, dtype="mixed_bfloat16", name="low")(x)
    model = Model(x, Dense(2, dtype="float32", name="high")(y))
    assert y.dtype == "bfloat16" and [layer.name for layer in model.layers[1:]] == ["low", "high"]
    assert engine().dtype_name(model(np.ones((1, 3), "float32"))) == "float32"
