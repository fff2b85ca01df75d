"""Resizing, RandomFlip and RandomRotation."""

import numpy as np
import pytest

import kops
import ksave
from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers.random_flip import RandomFlip
from klayers.layers.random_rotation import RandomRotation
from klayers.layers.resizing import Resizing
from kops.keras_tensor import KerasTensor

IMAGES = np.random.default_rng(0).uniform(0, 255, (4, 5, 5, 2)).astype("float32")
BOXES = {"boxes": np.array([[[0.0, 0.0, 2.0, 1.0]]] * 4, "float32"), "labels": np.array([[1]] * 4, "int32")}


def channels_first(x):
    return np.moveaxis(x, -1, 1)


@pytest.mark.parametrize("make", [RandomFlip, lambda **k: RandomRotation(0.1, **k)])
def test_nothing_happens_outside_of_training(make):
    layer = make()
    np.testing.assert_array_equal(as_array(layer(IMAGES, training=False)), IMAGES)
    assert kops.standardize_dtype(layer(IMAGES.astype("uint8"), training=False).dtype) == "float32"
    again = ksave.deserialize_keras_object(ksave.serialize_keras_object(layer))
    assert again.get_config() == layer.get_config()
    symbolic = layer(KerasTensor((None, 5, 5, 2), "float32"))
    assert symbolic.shape == (None, 5, 5, 2)
    assert layer(IMAGES[:0], training=True).shape == (0, 5, 5, 2)


def test_a_quarter_turn_is_counter_clockwise():
    layer = RandomRotation((0.25, 0.25), fill_mode="nearest")
    expected = np.rot90(IMAGES, axes=(1, 2))
    np.testing.assert_allclose(as_array(layer(IMAGES, training=True)), expected, rtol=1e-3, atol=1e-2)
    np.testing.assert_allclose(as_array(layer(IMAGES[0], training=True)), expected[0], rtol=1e-3, atol=1e-2)
    first = RandomRotation((0.25, 0.25), fill_mode="nearest", data_format="channels_first")
    found = as_array(first(channels_first(IMAGES), training=True))
    np.testing.assert_allclose(found, channels_first(expected), rtol=1e-3, atol=1e-2)


def test_each_image_turns_by_an_angle_of_its_own():
    x = np.repeat(IMAGES[:1], 4, axis=0)
    layer = RandomRotation(0.2, seed=5)
    found = as_array(layer(x, training=True))
    assert len({round(float(f.sum()), 2) for f in found}) == 4
    assert not np.allclose(found, as_array(layer(x, training=True)))
    np.testing.assert_allclose(found, as_array(RandomRotation(0.2, seed=5)(x, training=True)), 1e-6)


def test_boxes_turn_with_their_image():
    layer = RandomRotation((0.25, 0.25), bounding_box_format="xyxy")
    boxes = layer({"images": IMAGES, "bounding_boxes": BOXES}, training=True)["bounding_boxes"]
    np.testing.assert_allclose(as_array(boxes["boxes"])[2, 0], [0, 3, 1, 5], atol=1e-4)
    with pytest.raises(ValueError, match="bounding_box_format"):
        RandomRotation(0.1)({"images": IMAGES, "bounding_boxes": BOXES}, training=True)


def test_flips_are_decided_for_each_image():
    x = np.concatenate([IMAGES] * 8)
    found = as_array(RandomFlip(seed=1)(x, training=True))
    kinds = [x, x[:, :, ::-1], x[:, ::-1], x[:, ::-1, ::-1]]
    which = [[i for i, k in enumerate(kinds) if np.array_equal(f, k[n])] for n, f in enumerate(found)]
    assert all(len(w) == 1 for w in which)
    assert {w[0] for w in which} == {0, 1, 2, 3}


def test_masks_and_boxes_flip_with_their_image():
    data = {"images": IMAGES, "segmentation_masks": IMAGES.astype("int32"), "bounding_boxes": BOXES}
    out = RandomFlip("horizontal", seed=2, bounding_box_format="xyxy")({**data, "labels": [1, 2, 3, 4]}, training=True)
    images = as_array(out["images"])
    flipped = [np.array_equal(f, x[:, ::-1]) for f, x in zip(images, IMAGES)]
    assert len(set(flipped)) == 2
    np.testing.assert_array_equal(as_array(out["segmentation_masks"]), images.astype("int32"))
    for f, box in zip(flipped, as_array(out["bounding_boxes"]["boxes"])):
        np.testing.assert_allclose(box[0], [3, 0, 5, 1] if f else [0, 0, 2, 1])


def test_resizing():
    x = np.arange(16, dtype="float32").reshape(1, 4, 4, 1)
    wanted = x.reshape(1, 2, 2, 2, 2, 1).mean(axis=(2, 4))
    check_layer(lambda **k: Resizing(2, 2, **k), x, wanted)
    check_layer(lambda **k: Resizing(2, 2, "nearest", **k), x, x[:, 1::2, 1::2])
    # 2 x 4 out of 4 x 4: the middle rows stay.
    check_layer(lambda **k: Resizing(2, 4, crop_to_aspect_ratio=True, **k), x, x[:, 1:3])
    check_layer(
        lambda **k: Resizing(2, 2, data_format="channels_first", **k), channels_first(x), channels_first(wanted)
    )
    layer = Resizing(10, 5, bounding_box_format="xyxy")
    out = layer({"images": IMAGES, "bounding_boxes": BOXES})
    np.testing.assert_allclose(as_array(out["bounding_boxes"]["boxes"])[0, 0], [0, 0, 2, 2])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: RandomFlip("sideways"), "mode must be one of"),
        (lambda: RandomRotation(2.0), "factor must lie between -1 and 1"),
        (lambda: RandomRotation((1, 2, 3)), "two numbers"),
        (lambda: RandomRotation(0.1, fill_mode="edge"), "fill_mode must be one of"),
        (lambda: Resizing(0, 2), "height must be a positive integer"),
        (lambda: Resizing(2, 2, crop_to_aspect_ratio=True, pad_to_aspect_ratio=True), "Only one of"),
        (lambda: RandomFlip()(np.zeros((3, 3)), training=True), "takes images"),
    ],
)
def test_wrong_arguments(make, words):
    with pytest.raises(ValueError, match=words):
        make()
