"""RandomPerspective and RandomElasticTransform."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layers.color_layer import ColorLayer
from klayers.layers.image_layer import ImageLayer
from klayers.layers.settings import choice, config_of
from kops import random
from kops.ops.image_warp import FILL_MODES, elastic_transform, perspective_transform
from kops.seeding import draw_seed
from kspec import public


@public("keras.layers.RandomPerspective")
class RandomPerspective(ImageLayer):
    """Shows an image from another point of view, with some probability, in training only.

    Args:
        factor: the probability, or (lower, upper), between which it is drawn; a number is (0, number).
        scale: how far the corners may move towards the middle, 1 being all the way.
        interpolation: "bilinear" or "nearest".
        fill_value: what lies outside of the image.
        seed: an integer, or None to draw one.
        data_format: "channels_last" or "channels_first", default as configured.
    """

    _uses_factor = True
    _factor_bounds = (0, 1)

    def __init__(
        self,
        factor: Any = 1.0,
        scale: float = 1.0,
        interpolation: str = "bilinear",
        fill_value: float = 0.0,
        seed: Any = None,
        data_format: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(factor=factor, data_format=data_format, **kwargs)
        if not 0 <= scale <= 1:
            raise ValueError(f"scale must lie between 0 and 1, not {scale!r}.")
        self.scale = scale
        self.interpolation = choice(interpolation, "interpolation", ("nearest", "bilinear"))
        self.fill_value = fill_value
        self._make_generator(seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        seed = self.generator if seed is None else seed
        sizes = self._images_shape(data)
        batch = self._batch(sizes)
        height, width = (kops.cast(sizes[a], "float32") for a in (self.height_axis, self.width_axis))
        right, bottom = width - 1.0, height - 1.0
        zero = right * 0.0
        corners = kops.stack([kops.stack(p) for p in ((zero, zero), (right, zero), (zero, bottom), (right, bottom))])
        middle = kops.stack([right, bottom]) / 2.0
        u = random.uniform((*batch, 4, 2), 0.0, float(self.scale), dtype="float32", seed=seed)
        low, high = (float(f) for f in self.factor)
        chance = random.uniform((2, *batch), dtype="float32", seed=seed)
        applied = kops.cast(chance[0] < low + (high - low) * chance[1], "float32")
        # All the way to the middle would leave nothing to see.
        moved = corners + (middle - corners) * u * kops.reshape(applied, (-1, 1, 1)) * 0.9
        return {"start_points": corners + moved * 0.0, "end_points": moved}

    def _warped(self, x: Any, transformation: Any, interpolation: str) -> Any:
        if transformation is None:
            return x
        start, end = transformation["start_points"], transformation["end_points"]
        if len(x.shape) == 3:
            start, end = start[0], end[0]
        return perspective_transform(
            x, start, end, interpolation=interpolation, fill_value=self.fill_value, data_format=self.data_format
        )

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        return self._warped(self._cast(images), transformation, self.interpolation)

    def transform_segmentation_masks(self, segmentation_masks: Any, transformation: Any, training: bool = True) -> Any:
        return self._warped(segmentation_masks, transformation, "nearest")

    def transform_bounding_boxes(self, bounding_boxes: Any, transformation: Any, training: bool = True) -> Any:
        if transformation is None:
            return bounding_boxes
        raise NotImplementedError("RandomPerspective does not move bounding boxes.")

    def get_config(self) -> dict[str, Any]:
        names = ("factor", "scale", "interpolation", "fill_value", "seed")
        return {**super().get_config(), **config_of(self, *names)}


@public("keras.layers.RandomElasticTransform")
class RandomElasticTransform(ColorLayer):
    """Deforms an image smoothly, with some probability, in training only.

    Args:
        factor: the probability, or (lower, upper), between which it is drawn; a number is (0, number).
        scale: the strength, or (lower, upper), between which it is drawn for each image; a number is (0, number).
        interpolation: "bilinear" or "nearest".
        fill_mode, fill_value: what lies outside of the image, see `RandomRotation`.
        value_range: the lowest and the highest value of a pixel.
        seed: an integer, or None to draw one.
        data_format: "channels_last" or "channels_first", default as configured.

    Source: Simard et al., "Best practices for convolutional neural networks", 2003.
    """

    _uses_factor = True
    _factor_bounds = (0, 1)

    def __init__(
        self,
        factor: Any = 1.0,
        scale: Any = 1.0,
        interpolation: str = "bilinear",
        fill_mode: str = "reflect",
        fill_value: float = 0.0,
        value_range: Any = (0, 255),
        seed: Any = None,
        data_format: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(value_range, seed, factor=factor, data_format=data_format, **kwargs)
        self.scale = self._range(scale, "scale", (0, float("inf")))
        self.interpolation = choice(interpolation, "interpolation", ("nearest", "bilinear"))
        self.fill_mode = choice(fill_mode, "fill_mode", FILL_MODES)
        self.fill_value = fill_value

    def _draw(self, batch: tuple[Any, ...], seed: Any) -> Any:
        return {
            "apply": self._chosen(batch, self.factor, seed),
            "alpha": self._uniform(batch, self.scale, seed) * 20.0,
            "seed": draw_seed(seed),
        }

    def _changed(self, images: Any, transformation: Any) -> Any:
        return self._deformed(images, transformation, self.interpolation)

    def _deformed(self, x: Any, transformation: Any, interpolation: str) -> Any:
        warped = elastic_transform(
            x,
            alpha=kops.reshape(transformation["alpha"], (-1, 1, 1, 1)),
            sigma=5.0,
            interpolation=interpolation,
            fill_mode=self.fill_mode,
            fill_value=self.fill_value,
            seed=transformation["seed"],
            data_format=self.data_format,
        )
        return kops.where(self._per_image(transformation["apply"], x), warped, x)

    def transform_segmentation_masks(self, segmentation_masks: Any, transformation: Any, training: bool = True) -> Any:
        if transformation is None or not training:
            return segmentation_masks
        return self._deformed(segmentation_masks, transformation, "nearest")

    def transform_bounding_boxes(self, bounding_boxes: Any, transformation: Any, training: bool = True) -> Any:
        if transformation is None:
            return bounding_boxes
        raise NotImplementedError("RandomElasticTransform does not move bounding boxes.")

    def get_config(self) -> dict[str, Any]:
        names = ("factor", "scale", "interpolation", "fill_mode", "fill_value")
        return {**super().get_config(), **config_of(self, *names)}
