"""`Optimizer`: what all optimizers share. A subclass adds its slots in `build` and its formula in `update_step`."""

from __future__ import annotations

import re
import warnings
from typing import Any

import kops as ops
from kops.config import settings
from kops.dtypes import itemsize, standardize_dtype
from kops.naming import auto_name
from kops.scopes import StatelessScope, ambient, name_scope
from kops.shapes import standardize_shape
from kops.variable import Variable
from ksave import claim_variable, deserialize_keras_object, load_variable, serialize_keras_object
from kspec import public, resolve
from ktrain.optimizers import gradients as gradient_ops
from ktrain.optimizers.conditional import update_if
from ktrain.optimizers.schedules.schedule import LearningRateSchedule


@public("keras.Optimizer", "keras.optimizers.Optimizer")
class Optimizer:
    """Base class: implement `update_step(gradient, variable, learning_rate)`, and `build` for slot variables.

    Args:
        learning_rate: a number, a schedule, or a callable without arguments.
        weight_decay: variables shrink by `learning_rate * weight_decay` of themselves at each step.
        clipnorm: each gradient is scaled down to at most this norm.
        clipvalue: each element of a gradient is kept within plus and minus this.
        global_clipnorm: all gradients are scaled by one factor to at most this common norm.
        use_ema: keep an exponential moving average of each variable; `finalize_variable_values` writes it back.
        ema_momentum: how much of the average stays at each step.
        ema_overwrite_frequency: every so many steps the variables become their averages.
        loss_scale_factor: the loss is multiplied and the gradients divided by it, for float16.
        gradient_accumulation_steps: update every so many steps, with the mean of the gradients.
        name: default the class's name.

    Example:
        >>> class Plain(keras.optimizers.Optimizer):
        ...     def update_step(self, gradient, variable, learning_rate):
        ...         self.assign_sub(variable, learning_rate * gradient)
    """

    def __init__(
        self,
        learning_rate: Any,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if kwargs.pop("decay", None) is not None:
            raise ValueError("decay is not an argument any more; use a schedule from keras.optimizers.schedules.")
        if kwargs:
            raise ValueError(f"{type(self).__name__} got unknown arguments: {', '.join(sorted(kwargs))}.")
        limits = {"clipnorm": clipnorm, "clipvalue": clipvalue, "global_clipnorm": global_clipnorm}
        if sum(limit is not None for limit in limits.values()) > 1:
            raise ValueError(f"Only one of clipnorm, clipvalue and global_clipnorm can be set, not {limits}.")
        if use_ema:
            if not 0 <= ema_momentum <= 1:
                raise ValueError(f"ema_momentum must be between 0 and 1, not {ema_momentum}.")
            if ema_overwrite_frequency and (
                not isinstance(ema_overwrite_frequency, int) or ema_overwrite_frequency < 1
            ):
                raise ValueError(f"ema_overwrite_frequency is a positive integer, not {ema_overwrite_frequency!r}.")
        if gradient_accumulation_steps is not None and gradient_accumulation_steps < 2:
            raise ValueError(f"gradient_accumulation_steps is at least 2, not {gradient_accumulation_steps}.")
        self.name = name or auto_name(type(self).__name__)
        self.weight_decay = weight_decay
        self.clipnorm = clipnorm
        self.clipvalue = clipvalue
        self.global_clipnorm = global_clipnorm
        self.use_ema = use_ema
        self.ema_momentum = ema_momentum
        self.ema_overwrite_frequency = ema_overwrite_frequency
        self.loss_scale_factor = loss_scale_factor
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self.built = False
        self._variables: list[Variable] = []
        self._derived: list[Variable] = []  # what iterations tell; Keras does not file it for a wrapped optimizer
        self._wrapped = False
        self._trainable_variables: list[Variable] = []
        self._places: dict[int, int] = {}
        self._not_decayed: set[int] | None = None
        self._not_decayed_names: list[str] = []
        self._fused: Any = None
        self._iterations = self.add_variable((), dtype="int", aggregation="only_first_replica", name="iteration")
        if isinstance(learning_rate, dict):
            learning_rate = deserialize_keras_object(learning_rate)
        self._schedule: Any = None
        self._rate: Variable | None = None
        if callable(learning_rate) and not isinstance(learning_rate, Variable):
            self._schedule = learning_rate
        else:
            self._set_rate(learning_rate)

    def _set_rate(self, learning_rate: Any) -> None:
        rate = float(learning_rate)
        self._rate = self.add_variable(
            (), initializer=lambda shape, dtype=None: rate, dtype=settings.floatx,
            aggregation="only_first_replica",
            name="learning_rate",
        )  # fmt: skip

    # Variables

    @property
    def variables(self) -> list[Variable]:
        """Iterations, learning rate and slots, in the order in which files hold them."""
        return list(self._variables)

    @property
    def iterations(self) -> Any:
        """How many updates were made."""
        if self.gradient_accumulation_steps:
            return ops.floor_divide(self._iterations, self.gradient_accumulation_steps)
        return self._iterations

    def add_variable(
        self, shape: Any, initializer: Any = "zeros", dtype: Any = None, aggregation: str = "none", layout: Any = None,
        name: str | None = None,
    ) -> Variable:  # fmt: skip
        """Make a variable of the optimizer's state."""
        claim_variable(standardize_shape(shape), itemsize(standardize_dtype(dtype)))
        with name_scope(self.name.replace("/", ">"), caller=self):
            variable = Variable(
                _initializer(initializer), shape=shape, dtype=dtype, trainable=False, aggregation=aggregation,
                layout=layout, name=name,
            )  # fmt: skip
        self._variables.append(variable)
        return variable

    def add_variable_from_reference(
        self, reference_variable: Variable, name: str | None = None, initializer: Any = "zeros"
    ) -> Variable:
        """A slot: a variable of the shape, dtype and layout of another."""
        if initializer == "copy":
            value = ops.copy(reference_variable.value)
            initializer = lambda shape, dtype=None: value
        path = reference_variable.path.replace("/", "_")
        return self.add_variable(
            reference_variable.shape, initializer, reference_variable.dtype,
            layout=reference_variable._layout, name=f"{path}_{name}" if name else path,
        )  # fmt: skip

    def add_optimizer_variables(self, trainable_variables: Any, name: Any, initializer: Any = "zeros") -> Any:
        """One slot for each variable; with tuples of names and initializers one list of slots for each name.

        A variable whose slot would be useless (it stores its gradient) gets None.
        """
        several = isinstance(name, (list, tuple))
        names = list(name) if several else [name]
        kinds = list(initializer) if isinstance(initializer, (list, tuple)) else [initializer] * len(names)
        if len(kinds) != len(names):
            raise ValueError(f"There are {len(names)} names but {len(kinds)} initializers.")
        slots: list[list[Any]] = [[] for _ in names]
        for variable in trainable_variables:
            for slot, slot_name, kind in zip(slots, names, kinds):
                if variable.overwrite_with_gradient:
                    slot.append(None)
                else:
                    slot.append(self.add_variable_from_reference(variable, slot_name, kind))
        return tuple(slots) if several else slots[0]

    def build(self, variables: Any) -> None:
        """Make the slots for the variables that will be updated."""
        variables = list(variables)
        if self.use_ema:
            self._averages = self.add_optimizer_variables(variables, "average")
        if self.gradient_accumulation_steps:
            self._accumulators = self.add_optimizer_variables(variables, "gradient_accumulator")
        self._trainable_variables = variables
        self._places = {id(v): i for i, v in enumerate(variables)}
        self._resolve_not_decayed()
        self.built = True
        self._fused = _fused_update(self, variables)

    def _index(self, variable: Variable) -> int:
        return self._places[id(variable)]

    _get_variable_index = _index

    # Learning rate

    @property
    def learning_rate(self) -> Any:
        """The current learning rate; assign a number or a schedule to change it."""
        return self._current_rate()

    @learning_rate.setter
    def learning_rate(self, learning_rate: Any) -> None:
        if callable(learning_rate) and not isinstance(learning_rate, Variable):
            if self._rate is not None:
                # A file holds the learning rate only when it is a number.
                self._variables = [v for v in self._variables if v is not self._rate]
                self._rate = None
            self._schedule = learning_rate
            return
        if self._rate is None:
            raise TypeError(
                f"{self.name} follows a schedule, which a number cannot replace. Assign another schedule, or make a "
                "new optimizer."
            )
        self._rate.assign(learning_rate)

    def _current_rate(self) -> Any:
        if self._rate is not None:
            return self._rate.value
        if isinstance(self._schedule, LearningRateSchedule):
            return self._schedule(self.iterations)
        return self._schedule()

    # Updating

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Change one variable; to be implemented."""
        raise NotImplementedError(
            f"{type(self).__name__} must implement update_step(gradient, variable, learning_rate)."
        )

    def assign(self, variable: Any, value: Any) -> None:
        """Set a variable."""
        variable.assign(value)

    def assign_add(self, variable: Any, value: Any) -> None:
        """Add to a variable."""
        variable.assign_add(value)

    def assign_sub(self, variable: Any, value: Any) -> None:
        """Subtract from a variable."""
        variable.assign_sub(value)

    def apply_gradients(self, grads_and_vars: Any) -> Any:
        """Update variables, given pairs `(gradient, variable)`."""
        pairs = list(grads_and_vars)
        self.apply([g for g, _ in pairs], [v for _, v in pairs])
        return self._iterations

    def apply(self, grads: Any, trainable_variables: Any = None) -> None:
        """Update variables.

        Args:
            grads: one gradient for each variable; None leaves a variable as it is.
            trainable_variables: default those that the optimizer was built with.

        Raises:
            ValueError: no gradient at all, or variables that the optimizer was not built with.
        """
        grads = list(grads)
        if trainable_variables is None:
            if not self.built:
                raise ValueError(f"{self.name} has no variables yet: pass trainable_variables, or call build().")
            variables = self._trainable_variables
        else:
            variables = list(trainable_variables)
            if not self.built:
                self.build(variables)
        if len(grads) != len(variables):
            raise ValueError(f"There are {len(grads)} gradients but {len(variables)} variables.")
        if not variables:
            return
        self._check_known(variables)
        if None in map(_none_or_false, grads):
            grads, variables = self._without_missing(grads, variables)
        grads, variables = self._overwrite_directly(grads, variables)
        if variables:
            if self.loss_scale_factor is not None:
                grads = [ops.divide(g, self.loss_scale_factor) for g in grads]
            if self.gradient_accumulation_steps:
                self._accumulate(grads, variables)
            else:
                self._update(grads, variables)
        self._iterations.assign_add(1)

    def _check_known(self, variables: list[Any]) -> None:
        for variable in variables:
            if id(variable) not in self._places:
                raise ValueError(
                    f"{self.name} was built for other variables than {variable.path!r}. Build a new optimizer for "
                    "new variables (compile the model again)."
                )

    def _without_missing(self, grads: list[Any], variables: list[Any]) -> tuple[list[Any], list[Any]]:
        pairs = [(g, v) for g, v in zip(grads, variables) if g is not None]
        if not pairs:
            raise ValueError("No gradient for any variable: the loss does not depend on the trainable variables.")
        if len(pairs) < len(grads):
            missing = ", ".join(v.path for g, v in zip(grads, variables) if g is None)
            warnings.warn(f"The loss does not depend on {missing}: they are not updated.", stacklevel=4)
        return [g for g, _ in pairs], [v for _, v in pairs]

    def _overwrite_directly(self, grads: list[Any], variables: list[Any]) -> tuple[list[Any], list[Any]]:
        if not any(v.overwrite_with_gradient for v in variables):
            return grads, variables
        kept = []
        for g, v in zip(grads, variables):
            if v.overwrite_with_gradient:
                v.assign(g)
            else:
                kept.append((g, v))
        return [g for g, _ in kept], [v for _, v in kept]

    def _accumulate(self, grads: list[Any], variables: list[Any]) -> None:
        steps = self.gradient_accumulation_steps
        sums = [self._accumulators[self._index(v)] for v in variables]

        def update() -> None:
            self._update([ops.divide(ops.add(g, s), steps) for g, s in zip(grads, sums)], variables)
            for s in sums:
                s.assign(ops.zeros_like(s))

        def collect() -> None:
            for g, s in zip(grads, sums):
                s.assign_add(g)

        due = ops.equal(ops.mod(ops.add(self._iterations, 1), steps), 0)
        update_if(due, update, collect, _unique([*variables, *self._variables]))

    def _update(self, grads: list[Any], variables: list[Any]) -> None:
        if self._fused is not None and ambient.stateless is None and self._fused(grads, variables):
            self._after_update(variables)
            return
        if self.clipnorm is not None:
            grads = gradient_ops.clip_by_norm(grads, self.clipnorm)
        elif self.global_clipnorm is not None:
            grads = gradient_ops.clip_by_global_norm(grads, self.global_clipnorm)
        elif self.clipvalue is not None:
            grads = gradient_ops.clip_by_value(grads, self.clipvalue)
        rate = self._current_rate()
        self._decay(variables, rate)
        self.update_all(grads, variables, rate)
        self._after_update(variables)

    def update_all(self, grads: list[Any], variables: list[Any], learning_rate: Any) -> None:
        """Update all variables; here one after the other."""
        for gradient, variable in zip(grads, variables):
            self.update_step(gradient, variable, learning_rate)

    def _after_update(self, variables: list[Any]) -> None:
        if self.use_ema:
            self._update_averages(variables)
        for variable in variables:
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable.value))

    def _decay(self, variables: list[Any], rate: Any) -> None:
        if self.weight_decay is None:
            return
        for variable in variables:
            if self.decays(variable):
                factor = ops.cast(ops.multiply(rate, self.weight_decay), variable.dtype)
                variable.assign_sub(ops.multiply(variable, factor))

    # Weight decay

    def exclude_from_weight_decay(self, var_list: Any = None, var_names: Any = None) -> None:
        """Name variables that do not decay; before the optimizer is built.

        Args:
            var_list: the variables.
            var_names: regular expressions that are searched in the variables' paths, as `["bias", "norm"]`.
        """
        if self.built:
            raise ValueError("exclude_from_weight_decay() must be called before the optimizer is built.")
        self._not_decayed = {id(v) for v in var_list or ()}
        self._not_decayed_names = list(var_names or ())

    def _resolve_not_decayed(self) -> None:
        if not self._not_decayed and not self._not_decayed_names:
            self._not_decayed = None
            return
        named = {id(v) for v in self._trainable_variables if any(re.search(n, v.path) for n in self._not_decayed_names)}
        self._not_decayed = (self._not_decayed or set()) | named

    def decays(self, variable: Any) -> bool:
        """Whether weight decay applies to a variable."""
        return self._not_decayed is None or id(variable) not in self._not_decayed

    # Moving average

    def _update_averages(self, variables: list[Any]) -> None:
        started = ops.cast(ops.not_equal(self.iterations, 0), "float32")
        kept = ops.multiply(started, self.ema_momentum)
        due: Any = None
        if self.ema_overwrite_frequency:
            due = ops.equal(ops.mod(ops.add(self.iterations, 1), self.ema_overwrite_frequency), 0)
        for variable in variables:
            average = self._averages[self._index(variable)]
            momentum = ops.cast(kept, variable.dtype)
            average.assign(
                ops.add(ops.multiply(momentum, average), ops.multiply(ops.subtract(1.0, momentum), variable))
            )
            if due is not None:
                variable.assign(ops.where(due, average.value, variable.value))

    def finalize_variable_values(self, var_list: Any) -> None:
        """At the end of training: with `use_ema` the variables become their averages."""
        if not self.use_ema:
            return
        for variable in var_list:
            variable.assign(self._averages[self._index(variable)].value)

    # Loss scale, state

    def scale_loss(self, loss: Any) -> Any:
        """The loss times `loss_scale_factor`."""
        return loss if self.loss_scale_factor is None else ops.multiply(loss, self.loss_scale_factor)

    def stateless_apply(self, optimizer_variables: Any, grads: Any, trainable_variables: Any) -> tuple[Any, Any]:
        """`apply` as a pure function of values.

        Args:
            optimizer_variables: values like `self.variables`.
            grads: one for each trainable variable.
            trainable_variables: values of the variables the optimizer was built with.

        Returns:
            The new `(trainable_variables, optimizer_variables)`.
        """
        if not self.built:
            raise ValueError(f"{self.name} must be built before stateless_apply(): call build(variables).")
        own, trained = self.variables, self._trainable_variables
        for given, expected, what in (
            (optimizer_variables, own, "optimizer_variables"), (trainable_variables, trained, "trainable_variables"),
        ):  # fmt: skip
            if len(given) != len(expected):
                raise ValueError(f"{what} has {len(given)} values, but {self.name} has {len(expected)} variables.")
        mapping = [*zip(trained, trainable_variables), *zip(own, optimizer_variables)]
        with StatelessScope(state_mapping=mapping) as scope:
            self.apply(grads, trained)
        return [scope.get_current_value(v) for v in trained], [scope.get_current_value(v) for v in own]

    def _filed(self) -> list[Any]:
        """The variables that files hold."""
        derived = {id(v) for v in self._derived} if self._wrapped else ()
        return [v for v in self.variables if id(v) not in derived]

    def save_own_variables(self, store: Any) -> None:
        """Write the state into `store`, numbered in the order of `variables`."""
        for i, variable in enumerate(self._filed()):
            store[str(i)] = variable.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Read what `save_own_variables` wrote; a state of another size is skipped with a warning."""
        own = self._filed()
        if len(store.keys()) != len(own):
            warnings.warn(
                f"Skipping the state of optimizer {self.name}: the file has {len(store.keys())} variables, this "
                f"optimizer {len(own)}.",
                stacklevel=2,
            )
            return
        for i, variable in enumerate(own):
            load_variable(variable, store, str(i))

    def set_weights(self, weights: Any) -> None:
        """Set all variables of the state."""
        own = self.variables
        if len(weights) != len(own):
            raise ValueError(f"{self.name} has {len(own)} variables, but {len(weights)} values were given.")
        for variable, value in zip(own, weights):
            variable.assign(value)

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments."""
        if self._rate is not None:
            rate: Any = float(self._rate.numpy())
        else:
            rate = serialize_keras_object(self._schedule)
        return {
            "name": self.name,
            "learning_rate": rate,
            "weight_decay": self.weight_decay,
            "clipnorm": self.clipnorm,
            "global_clipnorm": self.global_clipnorm,
            "clipvalue": self.clipvalue,
            "use_ema": self.use_ema,
            "ema_momentum": self.ema_momentum,
            "ema_overwrite_frequency": self.ema_overwrite_frequency,
            "loss_scale_factor": self.loss_scale_factor,
            "gradient_accumulation_steps": self.gradient_accumulation_steps,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
        """An optimizer from what `get_config` returned."""
        rate = config.get("learning_rate")
        if isinstance(rate, dict):
            config = {**config, "learning_rate": deserialize_keras_object(rate, custom_objects=custom_objects)}
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


def _none_or_false(gradient: Any) -> Any:
    """None for None, False otherwise: `in` compares, which tensors answer element by element."""
    return None if gradient is None else False


def _unique(variables: list[Any]) -> list[Any]:
    return list({id(v): v for v in variables}.values())


def _fused_update(optimizer: Optimizer, variables: list[Any]) -> Any:
    """The engine's update of all variables at once, where it has one whose conditions hold."""
    from ktrain import engines

    return engines.load().fused_update(optimizer, variables)


def _initializer(initializer: Any) -> Any:
    # Zeros of klayers are made on the host: on JAX, zeros of every new shape would be compiled.
    return resolve("keras.initializers.get")(initializer)
