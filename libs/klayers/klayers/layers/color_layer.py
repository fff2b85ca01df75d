"""The base of augmentations that change colours and leave everything in its place."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layers.image_layer import ImageLayer
from kops import random


class FreeTransformation:
    """Mixin before `ColorLayer`: `transform_images` may be called without a transformation."""

    def transform_images(self, images: Any, transformation: Any = None, training: bool = True) -> Any:
        return super().transform_images(images, transformation, training)  # type: ignore[misc]  # ColorLayer's


class ColorLayer(ImageLayer):
    """Changes images within a range of values, in training only (if `_always`, in inference, too).

    A subclass defines `_draw(batch, seed)`, what is to happen to each image, and `_changed(images, transformation)`.

    Args:
        value_range: the lowest and the highest value of a pixel.
        seed: an integer, or None to draw one.
    """

    _always = False

    def __init__(self, value_range: Any = (0, 255), seed: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(value_range, (tuple, list)) or len(value_range) != 2 or value_range[0] >= value_range[1]:
            raise ValueError(f"value_range must be the lowest and highest value of a pixel, not {value_range!r}.")
        self.value_range = tuple(value_range)
        self._make_generator(seed)

    def _draw(self, batch: tuple[Any, ...], seed: Any) -> Any:
        return ()

    def _uniform(self, batch: Any, bounds: Any, seed: Any) -> Any:
        low, high = (float(b) for b in bounds)
        return random.uniform(batch, low, high, dtype="float32", seed=seed)

    def _chosen(self, batch: Any, bounds: Any, seed: Any) -> Any:
        """Which images are changed, where a factor is a range of probabilities."""
        u = random.uniform((2, *batch), dtype="float32", seed=seed)
        low, high = (float(b) for b in bounds)
        return u[0] < low + (high - low) * u[1]

    def _changed(self, images: Any, transformation: Any) -> Any:
        raise NotImplementedError

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training and not self._always:
            return None
        return self._draw(self._batch(self._images_shape(data)), self.generator if seed is None else seed)

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        images = self._cast(images)
        if transformation is None and self._always:
            transformation = ()
        if transformation is None or not (training or self._always):
            return images
        return self._clipped(self._changed(images, transformation))

    def _clipped(self, images: Any) -> Any:
        low, high = (float(v) for v in self.value_range)
        return self._cast(kops.clip(images, low, high))

    def _each(self, values: Any, images: Any) -> Any:
        """`(batch,)` values in the dtype of the images and a shape that meets them."""
        return kops.cast(self._per_image(values, images), images.dtype)

    def _gray(self, images: Any) -> Any:
        """The brightness of each pixel, with as many channels as before (ITU-R BT.601)."""
        axis = self.channel_axis
        if images.shape[axis] != 3:
            return images
        r, g, b = kops.split(images, 3, axis=axis)
        gray = 0.2989 * r + 0.587 * g + 0.114 * b
        return kops.concatenate([gray] * 3, axis=axis)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "value_range": self.value_range, "seed": self.seed}
