"""One side of the comparison, Keras or ours: makes, saves and loads models as it is asked to over its pipes."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import sys
import traceback
import warnings
from typing import Any

import numpy as np

KERAS_TRAINS = ("jax", "torch", "tensorflow")
FORMATS = ("whole.keras", "folder", "whole.h5", "w.weights.h5", "shards/w.weights.json")
OURS_ALONE = ("w.h5", "w.weights.npz")


class Side:
    def __init__(self, keras: Any):
        self.keras = keras
        self.backend = keras.backend.backend()
        self.ours = not hasattr(keras, "src")

    # Making

    def make(
        self, seed: int, folder: str, kind: str | None, policy: str | None, quantize: str | None
    ) -> dict[str, Any]:
        from models import Models, randomise
        from training import Training

        keras = self.keras
        keras.utils.clear_session()
        self.floats(policy)
        keras.utils.set_random_seed(seed)
        keras.config.set_dtype_policy(policy)
        models = Models(keras, seed, quantize is not None)
        try:
            model, x = models.model(kind)
        finally:
            keras.config.set_dtype_policy("float32" if policy != "float64" else "float64")
        if quantize == "lora":
            for layer in model.layers:
                if hasattr(layer, "enable_lora") and layer.built and models.chance(0.7):
                    with contextlib.suppress(ValueError):
                        layer.enable_lora(2, **({"lora_alpha": 3} if models.chance(0.4) else {}))
        randomise(keras, model, seed)
        y, settings = None, None
        trained = {}
        if models.kind != "optional":
            y = Training(models, model).compile()
            if self.backend in KERAS_TRAINS:
                trained = {"trained": logs(model.train_on_batch(x, y, return_dict=True))}
            settings = model.get_compile_config()
        if quantize and quantize != "lora":
            model.quantize(quantize)
        facts = {"refused": models.refused, "random": models.random_numbers, "kind": models.kind, **trained}
        facts["classes"] = sorted(models.classes)
        facts.update(self.facts(model))
        facts["saved"] = self.save(model, folder)
        with open(os.path.join(folder, "model.json"), "w") as file:
            file.write(model.to_json())
        with open(os.path.join(folder, "compile.json"), "w") as file:
            json.dump(keras.saving.serialize_keras_object(settings), file)
        facts.update(self.numbers(model, x, y, quantize))
        return {"facts": facts, "data": (x, y)}

    def save(self, model: Any, folder: str) -> dict[str, str]:
        """Saves in every format; what was refused, by format."""
        refused = {}
        os.mkdir(os.path.join(folder, "shards"))
        formats = FORMATS + OURS_ALONE if self.ours else FORMATS
        for name in formats:
            path = os.path.join(folder, name)
            try:
                if name == "folder":
                    self.keras.saving.save_model(model, path, zipped=False)
                elif ".weights." in name or name == "w.h5":
                    model.save_weights(path, **({"max_shard_size": 5e-6} if name.endswith("json") else {}))
                else:
                    model.save(path)
            except Exception as error:
                refused[name] = short(error)
        return refused

    # Loading

    def read(
        self, folder: str, name: str, data: Any, policy: str, how: int, numeric: bool, quantized: Any
    ) -> dict[str, Any]:
        import custom

        keras = self.keras
        keras.utils.clear_session()
        self.floats(policy)
        keras.utils.set_random_seed(1)
        keras.config.set_dtype_policy(policy)  # of which layers that constructors make learn
        path = os.path.join(folder, name)
        objects = custom.UNREGISTERED
        scope = keras.saving.custom_object_scope(objects) if how % 2 else contextlib.nullcontext()
        given = {} if how % 2 else {"custom_objects": objects}
        with scope:
            if ".weights." in name or name == "w.h5":
                with open(os.path.join(folder, "model.json")) as file:
                    model = keras.models.model_from_json(file.read(), **given)
                if not model.built and data[0] is not None:
                    model(data[0])
                with open(os.path.join(folder, "compile.json")) as file:
                    settings = json.load(file)
                if settings is not None and name.endswith((".weights.h5", ".weights.json", ".npz")):
                    with keras.saving.custom_object_scope(objects):
                        model.compile_from_config(settings)
                model.load_weights(path)
            else:
                model = keras.saving.load_model(path, **given)
        facts = self.facts(model)
        if numeric:
            facts.update(self.numbers(model, *data, quantized))
        return facts

    def floats(self, policy: str | None) -> None:
        self.keras.config.set_floatx("float64" if policy == "float64" else "float32")
        self.keras.config.set_dtype_policy("float64" if policy == "float64" else "float32")

    # What is compared

    def facts(self, model: Any) -> dict[str, Any]:
        found: dict[str, Any] = {"config": json.loads(model.to_json())}
        found["weights"] = [(v.path, *self.array(v)) for v in model.weights]
        trained = {id(v) for v in model.trainable_weights}
        found["trainable"] = [(v.name, id(v) in trained) for v in model.weights]
        optimizer = getattr(model, "optimizer", None)
        if optimizer is not None:
            found["optimizer"] = [(v.path, *self.array(v)) for v in optimizer.variables]
            found["compiled"] = json.loads(
                json.dumps(self.keras.saving.serialize_keras_object(model.get_compile_config()))
            )
        return found

    def numbers(self, model: Any, x: Any, y: Any, quantized: Any) -> dict[str, Any]:
        found: dict[str, Any] = {"called": self.flat(model(x, training=False))}
        if isinstance(x, dict) and y is None:
            found["called_without"] = self.flat(model({**x, "b": None}, training=False))
            return found
        found["predicted"] = self.flat(model.predict(x, verbose=0))
        if y is None or getattr(model, "optimizer", None) is None:
            return found
        found["evaluated"] = logs(model.evaluate(x, y, verbose=0, return_dict=True))
        found["metrics"] = [(f"{m.name} {v.name}", *self.array(v)) for m in model.metrics for v in m.variables]
        if self.backend in KERAS_TRAINS and not quantized:
            found["step"] = logs(model.train_on_batch(x, y, return_dict=True))
            found["stepped"] = [(v.path, *self.array(v)) for v in model.weights]
            found["stepped_optimizer"] = [(v.path, *self.array(v)) for v in model.optimizer.variables]
        return found

    def array(self, tensor: Any) -> tuple[str, np.ndarray]:
        dtype = self.keras.backend.standardize_dtype(tensor.dtype)
        array = np.asarray(self.keras.ops.convert_to_numpy(tensor))
        return dtype, array.astype("float32") if array.dtype.kind not in "biufcUS" else np.array(array)

    def flat(self, result: Any) -> list[Any]:
        paths = []
        structure = json.dumps(self.keras.tree.map_structure(lambda _: 0, result))
        for tensor in self.keras.tree.flatten(result):
            array = np.asarray(self.keras.ops.convert_to_numpy(self.keras.ops.cast(tensor, "float32")))
            paths.append((structure, self.keras.backend.standardize_dtype(tensor.dtype), array))
        return paths


def logs(found: Any) -> dict[str, Any]:
    return {key: np.asarray(value, dtype="float32").tolist() for key, value in found.items()}


def short(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error)[:900]}"


def main() -> None:
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    import gc

    import keras

    gc.collect()
    gc.freeze()  # the sessions are cleared often
    side = Side(keras)
    while True:
        try:
            what, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = ("done", getattr(side, what)(**arguments))
        except Exception as error:
            answer = ("error", short(error), traceback.format_exc()[-3000:])
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main()
