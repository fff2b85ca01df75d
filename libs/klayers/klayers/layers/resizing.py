"""Resizing."""

from __future__ import annotations

from typing import Any

import kops
from klayers.bounding_boxes import from_corners, to_corners
from klayers.layers.image_layer import ImageLayer
from klayers.layers.settings import choice, config_of, positive_int
from kops.ops.image_resize import METHODS, resize
from kspec import public


@public("keras.layers.Resizing")
class Resizing(ImageLayer):
    """Brings images to one size.

    Args:
        height, width: the new size.
        interpolation: "bilinear", "nearest", "bicubic", "lanczos3" or "lanczos5".
        crop_to_aspect_ratio: first cut the middle that has the new aspect ratio.
        pad_to_aspect_ratio: first pad to the new aspect ratio.
        fill_mode: "constant".
        fill_value: what to pad with.
        antialias: average over more pixels when shrinking.
        data_format: "channels_last" or "channels_first", default as configured.

    Input: images `(batch, height, width, channels)` or one without the batch; or a dict, see
    `keras.layers.RandomFlip`. Output: images of the new size, floats.
    """

    def __init__(
        self,
        height: int,
        width: int,
        interpolation: str = "bilinear",
        crop_to_aspect_ratio: bool = False,
        pad_to_aspect_ratio: bool = False,
        fill_mode: str = "constant",
        fill_value: float = 0.0,
        antialias: bool = False,
        data_format: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self.height = positive_int(height, "height")
        self.width = positive_int(width, "width")
        self.interpolation = choice(interpolation, "interpolation", METHODS)
        if crop_to_aspect_ratio and pad_to_aspect_ratio:
            raise ValueError("Only one of crop_to_aspect_ratio and pad_to_aspect_ratio can be True.")
        self.crop_to_aspect_ratio = crop_to_aspect_ratio
        self.pad_to_aspect_ratio = pad_to_aspect_ratio
        self.fill_mode = choice(fill_mode, "fill_mode", ("constant",))
        self.fill_value = fill_value
        self.antialias = antialias

    def _resized(self, x: Any, interpolation: str) -> Any:
        return resize(
            x,
            (self.height, self.width),
            interpolation=interpolation,
            antialias=self.antialias,
            crop_to_aspect_ratio=self.crop_to_aspect_ratio,
            pad_to_aspect_ratio=self.pad_to_aspect_ratio,
            fill_mode=self.fill_mode,
            fill_value=self.fill_value,
            data_format=self.data_format,
        )

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        sizes = self._images_shape(data)
        return sizes[self.height_axis], sizes[self.width_axis]

    def transform_images(self, images: Any, transformation: Any = None, training: bool = True) -> Any:
        return self._cast(self._resized(images, self.interpolation))

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any = None, training: bool = True
    ) -> Any:
        return self._resized(segmentation_masks, "nearest")

    def transform_bounding_boxes(self, bounding_boxes: Any, transformation: Any, training: bool = True) -> Any:
        height, width = transformation
        boxes = to_corners(kops.cast(bounding_boxes["boxes"], "float32"), self.bounding_box_format, height, width)
        # The part of the plane that ends up in the new image: all of it, less or more.
        shown_height, shown_width = float(height), float(width)
        if self.crop_to_aspect_ratio or self.pad_to_aspect_ratio:
            fit = min if self.crop_to_aspect_ratio else max
            shown_height = float(fit(height, width * self.height // self.width))
            shown_width = float(fit(width, height * self.width // self.height))
        top, left = (height - shown_height) / 2.0, (width - shown_width) / 2.0
        sizes = ((left, self.width / shown_width), (top, self.height / shown_height)) * 2
        limits = (self.width, self.height) * 2
        moved = [
            kops.clip((boxes[..., i] - start) * scale, 0.0, float(limit))
            for i, ((start, scale), limit) in enumerate(zip(sizes, limits))
        ]
        boxes = from_corners(kops.stack(moved, axis=-1), self.bounding_box_format, self.height, self.width)
        return {**bounding_boxes, "boxes": boxes}

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = list(input_shape)
        shape[self.height_axis], shape[self.width_axis] = self.height, self.width
        return tuple(shape)

    def transform_labels(self, labels: Any, transformation: Any = None, training: bool = True) -> Any:
        """The labels: a change of size leaves them as they are."""
        return labels

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            **config_of(
                self,
                "height",
                "width",
                "interpolation",
                "crop_to_aspect_ratio",
                "pad_to_aspect_ratio",
                "fill_mode",
                "fill_value",
                "antialias",
            ),
        }
