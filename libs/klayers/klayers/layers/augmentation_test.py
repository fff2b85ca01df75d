"""Layers that change images at random: values with the chance taken out of them, and their promises."""

import numpy as np
import pytest

import kops
import ksave
from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers.adaptive_equalization import ContrastLimitedAdaptiveHistogramEqualization
from klayers.layers.augmentation_policies import AugMix, RandAugment
from klayers.layers.crops import CenterCrop, RandomCrop
from klayers.layers.equalization import AutoContrast, Equalization
from klayers.layers.max_num_bounding_boxes import MaxNumBoundingBoxes
from klayers.layers.mixing import CutMix, MixUp
from klayers.layers.pipeline import Pipeline
from klayers.layers.random_affine import RandomShear, RandomTranslation, RandomZoom
from klayers.layers.random_color import (
    RandomColorDegeneration,
    RandomColorJitter,
    RandomGrayscale,
    RandomHue,
    RandomSaturation,
)
from klayers.layers.random_filters import RandomErasing, RandomGaussianBlur, RandomSharpness
from klayers.layers.random_tone import RandomBrightness, RandomContrast, RandomInvert, RandomPosterization, Solarization
from klayers.layers.random_warps import RandomElasticTransform, RandomPerspective
from klayers.layers.rescaling import Rescaling
from kops.keras_tensor import KerasTensor
from kops.ops.image import rgb_to_hsv

X = np.random.default_rng(0).uniform(50, 200, (4, 6, 6, 3)).astype("float32")
RAMP = np.arange(25, dtype="float32").reshape(1, 5, 5, 1)
GREY = (X * np.array([0.2989, 0.587, 0.114], "float32")).sum(-1, keepdims=True)

EVERY = [
    lambda **k: RandomBrightness(0.3, **k),
    lambda **k: RandomContrast(0.3, **k),
    lambda **k: RandomInvert(**k),
    lambda **k: RandomPosterization(3, **k),
    lambda **k: Solarization(0.2, 0.5, **k),
    lambda **k: RandomHue(0.3, **k),
    lambda **k: RandomSaturation(0.3, **k),
    lambda **k: RandomColorDegeneration(0.3, **k),
    lambda **k: RandomGrayscale(**k),
    lambda **k: RandomColorJitter((0, 255), 0.2, 0.2, 0.2, 0.2, **k),
    lambda **k: RandomSharpness(0.3, **k),
    lambda **k: RandomGaussianBlur(**k),
    lambda **k: RandomErasing(**k),
    lambda **k: RandomTranslation(0.2, 0.3, **k),
    lambda **k: RandomZoom(0.3, **k),
    lambda **k: RandomShear(0.3, 0.2, **k),
    lambda **k: RandomPerspective(scale=0.5, **k),
    lambda **k: RandomElasticTransform(**k),
    lambda **k: RandAugment(**k),
    lambda **k: AugMix(**k),
    lambda **k: MixUp(**k),
    lambda **k: CutMix(**k),
]


def trained(layer, x=X):
    return as_array(layer(x, training=True))


@pytest.mark.parametrize("make", EVERY)
def test_promises(make):
    layer = make(seed=3)
    np.testing.assert_array_equal(as_array(layer(X, training=False)), X)
    first = trained(layer)
    assert first.shape == X.shape and np.isfinite(first).all()
    np.testing.assert_allclose(trained(make(seed=3)), first, atol=1e-4)  # of the seed only
    record = ksave.serialize_keras_object(layer)
    assert ksave.deserialize_keras_object(record).get_config() == layer.get_config()
    assert layer(KerasTensor((None, 6, 6, 3))).shape == (None, 6, 6, 3)
    if "factor" not in layer.get_config() or not isinstance(layer, (MixUp, CutMix)):
        channels_first = make(seed=3, data_format="channels_first")
        found = trained(channels_first, np.moveaxis(X, -1, 1))
        assert found.shape == (4, 3, 6, 6)
    if not isinstance(layer, (MixUp, CutMix)):
        assert trained(layer, X[0]).shape == X[0].shape


def test_tones():
    np.testing.assert_allclose(trained(RandomBrightness((0.1, 0.1))), np.minimum(X + 25.5, 255), atol=1e-3)
    mean = X.mean((1, 2), keepdims=True)
    wide = (-1000, 1000)
    np.testing.assert_allclose(trained(RandomContrast((0.0, 0.0), value_range=wide)), X, atol=1e-3)
    ratio = (trained(RandomContrast(0.5, value_range=wide)) - mean) / (X - mean)
    assert ratio.min() > 0.99 and ratio.max() < 1.51
    np.testing.assert_allclose(ratio[0], ratio[0, 0, 0, 0], rtol=1e-2)
    np.testing.assert_allclose(trained(RandomInvert((1.0, 1.0))), 255 - X, atol=1e-3)
    np.testing.assert_allclose(trained(RandomPosterization((3, 3))), np.floor(X / 32) * 32, atol=1e-3)
    values = np.array([0, 100, 127, 130, 200, 255], "float32").reshape(1, 1, 6, 1)
    expected = [25.5, 125.5, 102.5, 99.5, 29.5, 0.0]  # 127 + 25.5 is above 127.5, and inverted
    np.testing.assert_allclose(trained(Solarization((0.1, 0.1), (0.5, 0.5)), values).ravel(), expected, atol=1e-3)


def test_colours():
    np.testing.assert_allclose(trained(RandomColorDegeneration((0.3, 0.3))), X + 0.3 * (GREY - X), rtol=1e-4)
    np.testing.assert_allclose(trained(RandomGrayscale(1.0)), np.repeat(GREY, 3, -1), rtol=1e-4)

    def hsv(x):
        return as_array(rgb_to_hsv(kops.convert_to_tensor(x / 255)))

    turned = (hsv(trained(RandomHue((0.2, 0.2))))[..., 0] - hsv(X)[..., 0]) % 1
    assert np.all(np.isclose(turned, 0.1, atol=1e-3) | np.isclose(turned, 0.9, atol=1e-3))
    paler = hsv(trained(RandomSaturation((0.3, 0.3))))[..., 1] / hsv(X)[..., 1]
    np.testing.assert_allclose(paler, 3 / 7, rtol=1e-3)
    np.testing.assert_allclose(trained(RandomSaturation((0.5, 0.5))), X, rtol=1e-4)


def test_filters():
    dot = np.zeros((1, 5, 5, 1), "float32")
    dot[0, 2, 2] = 100
    sharp = trained(RandomSharpness((0.3, 0.3)), dot)[0, ..., 0]
    np.testing.assert_allclose(sharp[1, 1], 0.4 * 100 / 13, rtol=1e-4)
    np.testing.assert_allclose(sharp[2, 2], 500 / 13 + 0.6 * 800 / 13, rtol=1e-4)
    blurred = trained(RandomGaussianBlur((1.0, 1.0), 3, (1.0, 1.0)), dot)[0, ..., 0]
    row = np.exp(-np.array([1, 0, 1]) / 2)
    row /= row.sum()
    np.testing.assert_allclose(blurred[1:4, 1:4], 100 * np.outer(row, row), rtol=1e-4)
    erased = trained(RandomErasing((1.0, 1.0), (0.25, 0.25), fill_value=0.0))
    for image in erased == 0:
        rows, columns = np.nonzero(image.all(-1))
        area = (np.ptp(rows) + 1) * (np.ptp(columns) + 1)
        assert len(rows) == area and 6 <= area <= 12


def test_moves():
    ramp = RAMP[0, ..., 0]
    moved = trained(RandomTranslation((0.2, 0.2), (0.4, 0.4), "constant"), RAMP)[0, ..., 0]
    np.testing.assert_allclose(moved[1:, 2:], ramp[:-1, :-2], atol=1e-4)
    assert not moved[0].any() and not moved[:, :2].any()
    out = trained(RandomZoom((0.5, 0.5), fill_mode="constant"), RAMP)[0, ..., 0]
    np.testing.assert_allclose(out[2], [0, 10.5, 12, 13.5, 0], atol=1e-3)
    near = trained(RandomZoom((-0.5, -0.5), fill_mode="constant"), RAMP)[0, ..., 0]
    np.testing.assert_allclose(near[2], [11, 11.5, 12, 12.5, 13], atol=1e-3)
    shear = trained(RandomShear((0.5, 0.5), fill_mode="nearest"), RAMP)[0, ..., 0]
    assert np.isclose(shear[1, 2], 7.5) or np.isclose(shear[1, 2], 6.5)


def test_crops():
    check_layer(lambda **k: CenterCrop(4, 3, **k), X, X[:, 1:5, 1:4], low_precision=False)
    assert CenterCrop(12, 12)(X).shape == (4, 12, 12, 3)
    layer = RandomCrop(4, 3, seed=1)
    np.testing.assert_array_equal(as_array(layer(X, training=False)), X)
    places = set()
    for _ in range(20):
        found = trained(layer)
        at = [(i, j) for i in range(3) for j in range(4) if np.array_equal(found, X[:, i : i + 4, j : j + 3])]
        assert len(at) == 1
        places.add(at[0])
    assert len(places) > 4
    assert trained(RandomCrop(12, 3)).shape == (4, 12, 3, 3)


def test_equalizations():
    check_layer(lambda **k: AutoContrast(**k), RAMP, RAMP * 255 / 24, low_precision=False, empty=False)
    flat = np.full((1, 2, 2, 1), 7, "float32")
    np.testing.assert_array_equal(as_array(AutoContrast()(flat)), flat)
    values = np.array([10, 10, 20, 50, 50, 50, 90, 200, 200], "float32").reshape(1, 3, 3, 1)
    expected = np.array([0, 0, 36, 146, 146, 146, 182, 255, 255]).reshape(values.shape)
    np.testing.assert_allclose(as_array(Equalization()(values)), expected, atol=1e-3)
    # One tile, and no clipping: 255 times the share of pixels that are not brighter.
    sixteen = np.array([10, 10, 20, 50, 50, 50, 90, 200, 200, 7, 7, 7, 7, 7, 7, 8], "float32").reshape(1, 4, 4, 1)
    share = np.array([(sixteen <= v).mean() for v in sixteen.ravel()]) * 255
    whole = ContrastLimitedAdaptiveHistogramEqualization(clip_limit=100.0, tile_grid_size=(1, 1))
    np.testing.assert_allclose(as_array(whole(sixteen)).ravel(), share, rtol=1e-4)
    # Recorded from Keras 3.15.1.
    clipped = ContrastLimitedAdaptiveHistogramEqualization(clip_limit=4.0, tile_grid_size=(1, 1))(sixteen)
    np.testing.assert_allclose(
        as_array(clipped).ravel()[[0, 2, 3, 9]], [20.89729, 33.798, 64.50359, 10.22999], rtol=1e-4
    )
    assert ContrastLimitedAdaptiveHistogramEqualization(tile_grid_size=(4, 4))(X).shape == X.shape


@pytest.mark.parametrize("make", [lambda: MixUp(0.5, seed=1), lambda: CutMix(seed=1)])
def test_two_images_in_one(make):
    images = np.repeat(np.arange(1, 5, dtype="float32"), 36).reshape(4, 6, 6, 1)
    out = make()({"images": images, "labels": np.eye(4, dtype="float32")}, training=True)
    labels, found = as_array(out["labels"]), as_array(out["images"])
    np.testing.assert_allclose(labels.sum(-1), 1, atol=1e-5)
    # The mean of an image tells how much of which is in it.
    np.testing.assert_allclose(found.mean((1, 2, 3)), labels @ np.arange(1, 5), rtol=1e-4)
    assert (labels > 0.01).sum() > 4


def test_boxes_and_pipelines():
    boxes = {"boxes": np.ones((2, 3, 4), "float32"), "labels": np.zeros((2, 3), "float32")}
    data = {"images": X[:2], "bounding_boxes": boxes}
    more = MaxNumBoundingBoxes(5, bounding_box_format="xyxy")(data)["bounding_boxes"]
    assert as_array(more["labels"])[0].tolist() == [0, 0, 0, -1, -1]
    assert MaxNumBoundingBoxes(2, bounding_box_format="xyxy")(data)["bounding_boxes"]["boxes"].shape == (2, 2, 4)
    layer = Pipeline([CenterCrop(2, 2), Rescaling(0.5)])
    np.testing.assert_allclose(as_array(layer(X)), X[:, 2:4, 2:4] / 2)
    again = ksave.deserialize_keras_object(ksave.serialize_keras_object(layer))
    assert [type(x) for x in again.layers] == [CenterCrop, Rescaling]
    assert layer(KerasTensor((None, 6, 6, 3))).shape == (None, 2, 2, 3)
    moved = RandomTranslation((0.0, 0.0), (0.5, 0.5), bounding_box_format="xyxy")
    start = {"boxes": np.array([[[0, 0, 2, 2.0]]], "float32"), "labels": np.array([[1]])}
    found = moved({"images": X[:1], "bounding_boxes": start}, training=True)["bounding_boxes"]
    np.testing.assert_allclose(as_array(found["boxes"]), [[[3, 0, 5, 2]]], atol=1e-4)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: RandomBrightness(2.0), "factor must lie"),
        (lambda: RandomContrast(0.1, value_range=(1, 0)), "value_range"),
        (lambda: RandomZoom(-2.0, fill_mode="edge"), "fill_mode"),
        (lambda: MixUp(0.0), "alpha must be positive"),
        (lambda: MixUp()(X[0], training=True), "images of a batch"),
        (lambda: RandomPerspective(scale=2.0), "scale must lie"),
        (lambda: RandomGrayscale(2.0), "probability"),
        (lambda: ContrastLimitedAdaptiveHistogramEqualization(clip_limit=0), "clip_limit"),
    ],
)
def test_wrong_arguments(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_shear_factors_reach_either_way():
    assert RandomShear(0.1).x_factor == (-0.1, 0.1)
    assert RandomShear((0.1, 0.3), 1).get_config()["y_factor"] == (-1, 1)
    again = RandomShear.from_config(RandomShear(0.1).get_config())
    assert again.x_factor == (-0.1, 0.1)
    for factor in (-0.3, 1.5, (-1.5, 0.0)):
        with pytest.raises(ValueError, match="x_factor"):
            RandomShear(factor)


def test_the_middle_needs_no_transformation():
    layer = CenterCrop(2, 4)
    np.testing.assert_array_equal(as_array(layer.transform_images(X)), X[:, 2:4, 1:5])
    np.testing.assert_array_equal(as_array(layer.transform_segmentation_masks(X, None)), X[:, 2:4, 1:5])


def test_grey_leaves_what_belongs_to_the_images():
    boxes = {"boxes": np.array([[[0.0, 1.0, 2.0, 3.0]]] * 4, "float32"), "labels": np.ones((4, 1), "float32")}
    data = {"images": X, "labels": np.arange(4), "bounding_boxes": boxes, "segmentation_masks": X[..., :1]}
    layer = RandomGrayscale(1.0, bounding_box_format="xyxy")
    found = layer(data, training=True)
    np.testing.assert_allclose(as_array(found["images"]), np.repeat(GREY, 3, -1), rtol=1e-4)
    np.testing.assert_array_equal(as_array(found["bounding_boxes"]["boxes"]), boxes["boxes"])
    np.testing.assert_array_equal(as_array(found["labels"]), data["labels"])
    np.testing.assert_array_equal(as_array(found["segmentation_masks"]), data["segmentation_masks"])
    one = {"boxes": boxes["boxes"][0], "labels": boxes["labels"][0]}
    lone = layer({"images": X[0], "bounding_boxes": one}, training=True)
    np.testing.assert_array_equal(as_array(lone["bounding_boxes"]["boxes"]), one["boxes"])
    assert layer.transform_labels(3) == 3 and layer.transform_bounding_boxes(one) is one


def test_transformations_are_passed_by_name():
    class Named(RandomGrayscale):
        def transform_labels(self, labels, *, training, transformation):
            return labels + 1

    found = Named(1.0)({"images": X, "labels": np.zeros(4, "float32")}, training=True)
    np.testing.assert_array_equal(as_array(found["labels"]), np.ones(4))
