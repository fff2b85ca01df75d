"""RandomFlip."""

from __future__ import annotations

from typing import Any

import kops
from klayers.bounding_boxes import from_corners, to_corners
from klayers.layers.image_layer import ImageLayer
from klayers.layers.settings import choice, config_of
from kops import random
from kspec import public

MODES = ("horizontal", "vertical", "horizontal_and_vertical")


@public("keras.layers.RandomFlip")
class RandomFlip(ImageLayer):
    """Mirrors each image with probability 1/2, in training only.

    Args:
        mode: "horizontal" (left and right are exchanged), "vertical", or "horizontal_and_vertical", each decided
            for itself.
        seed: an integer, or None to draw one.
        data_format: "channels_last" or "channels_first", default as configured.

    Input: images `(batch, height, width, channels)` or one without the batch; or a dict of `"images"` and any of
    `"labels"`, `"bounding_boxes"` (a dict of `"boxes"` `(batch, boxes, 4)` and `"labels"`) and
    `"segmentation_masks"`, which are all changed alike. Output: the same shapes, images as floats.
    """

    def __init__(
        self, mode: str = "horizontal_and_vertical", seed: Any = None, data_format: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self._make_generator(seed)
        self.mode = choice(mode, "mode", MODES)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        sizes = self._images_shape(data)
        u = random.uniform((2, *self._batch(sizes)), dtype="float32", seed=self.generator if seed is None else seed)
        return {
            "horizontal": u[0] < 0.5,
            "vertical": u[1] < 0.5,
            "height": sizes[self.height_axis],
            "width": sizes[self.width_axis],
        }

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        return self._flipped(self._cast(images), transformation, training)

    def _flipped(self, x: Any, transformation: Any, training: Any) -> Any:
        if not training or transformation is None:
            return x
        for way, axis in (("horizontal", self.width_axis), ("vertical", self.height_axis)):
            if way in self.mode:
                x = kops.where(self._per_image(transformation[way], x), kops.flip(x, axis=axis), x)
        return x

    def transform_segmentation_masks(self, segmentation_masks: Any, transformation: Any, training: bool = True) -> Any:
        return self._flipped(segmentation_masks, transformation, training)

    def transform_bounding_boxes(self, bounding_boxes: Any, transformation: Any, training: bool = True) -> Any:
        if not training or transformation is None:
            return bounding_boxes
        height, width = (kops.cast(transformation[k], "float32") for k in ("height", "width"))
        boxes = to_corners(kops.cast(bounding_boxes["boxes"], "float32"), self.bounding_box_format, height, width)
        for way, i, size in (("horizontal", 0, width), ("vertical", 1, height)):
            if way in self.mode:
                corners = [boxes[..., j] for j in range(4)]
                corners[i], corners[i + 2] = size - corners[i + 2], size - corners[i]
                chosen = kops.reshape(transformation[way], (-1, 1, 1))
                boxes = kops.where(chosen, kops.stack(corners, axis=-1), boxes)
        boxes = from_corners(boxes, self.bounding_box_format, height, width)
        return {**bounding_boxes, "boxes": boxes}

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "seed", "mode")}
