"""`tf.keras`: TensorFlow shows `keras._tf_keras.keras`, our mirror, under that name."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

if os.environ.get("KERAS_BACKEND") != "tensorflow":
    pytest.skip("about TensorFlow", allow_module_level=True)


def in_new_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_tensorflow_touches_only_our_empty_namespace():
    code = (
        "import sys, tensorflow\n"
        "import keras; print(keras.version(), sorted(m for m in sys.modules if m.split('.')[0] in "
        "('klayers', 'ktrain', 'ksave') or m.startswith('keras.')))"
    )
    assert in_new_process(code) == "3.15.2 ['keras._lazy']"


def test_all_ways_to_a_namespace_of_tf_keras():
    code = (
        "import tensorflow as tf, keras\n"
        "from tensorflow.keras import layers\n"
        "from tensorflow import keras as k\n"
        "import tensorflow.keras.losses\n"
        "print(tf.keras.version(), k.version(), layers.__name__, tf.keras.layers.__name__)\n"
        "print(set(dir(keras.layers)) <= set(dir(tf.keras.layers)))"
    )
    assert in_new_process(code).splitlines() == [
        "3.15.2 3.15.2 tensorflow.keras.layers tensorflow.keras.layers",
        "True",
    ]


def test_a_layer_of_tf_keras_is_the_layer_of_keras_and_runs():
    code = (
        "import tensorflow as tf, keras\n"
        "assert tf.keras.layers.Dense is keras.layers.Dense\n"
        "print(tuple(tf.keras.layers.Dense(3)(tf.ones((2, 4))).shape))"
    )
    assert in_new_process(code) == "(2, 3)"
