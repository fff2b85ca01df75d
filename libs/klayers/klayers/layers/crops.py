"""CenterCrop and RandomCrop."""

from __future__ import annotations

from typing import Any

import kops
from klayers.bounding_boxes import clip_to_image_size, from_corners, to_corners
from klayers.layers.image_layer import ImageLayer
from klayers.layers.settings import config_of, positive_int
from kops import random
from kops.ops.image_resize import resize
from kops.seeding import default_seed
from kspec import public


class CropLayer(ImageLayer):
    """Cuts a window of one size, the same place for the whole batch; images smaller than it are resized."""

    def __init__(self, height: int, width: int, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self.height = positive_int(height, "height")
        self.width = positive_int(width, "width")

    def _sizes(self, data: Any) -> tuple[int, int]:
        sizes = self._images_shape(data)
        height, width = sizes[self.height_axis], sizes[self.width_axis]
        if not isinstance(height, int) or not isinstance(width, int):
            raise ValueError(f"{type(self).__name__} needs to know the height and width of the images.")
        return height, width

    def _cut(self, x: Any, transformation: Any, interpolation: str) -> Any:
        if "top" not in transformation:
            return resize(
                x,
                (self.height, self.width),
                interpolation=interpolation,
                data_format=self.data_format,
                crop_to_aspect_ratio=True,
            )
        for axis, start, size in (
            (self.height_axis, transformation["top"], self.height),
            (self.width_axis, transformation["left"], self.width),
        ):
            axis += len(x.shape)
            if isinstance(start, int):
                x = x[(slice(None),) * axis + (slice(start, start + size),)]
            else:
                x = kops.take(x, start + kops.arange(size, dtype="int32"), axis=axis)
        return x

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        if transformation is None:
            return self._cast(images)
        return self._cast(self._cut(self._cast(images), transformation, "bilinear"))

    def transform_segmentation_masks(self, segmentation_masks: Any, transformation: Any, training: bool = True) -> Any:
        if transformation is None:
            return segmentation_masks
        return self._cut(segmentation_masks, transformation, "nearest")

    def transform_bounding_boxes(self, bounding_boxes: Any, transformation: Any, training: bool = True) -> Any:
        if transformation is None:
            return bounding_boxes
        height, width = transformation["height"], transformation["width"]
        boxes = to_corners(kops.cast(bounding_boxes["boxes"], "float32"), self.bounding_box_format, height, width)
        if "top" in transformation:
            top, left, scale = transformation["top"], transformation["left"], 1.0
        else:
            shown = min(height / self.height, width / self.width)
            scale = 1.0 / shown
            top, left = (height - self.height * shown) / 2.0, (width - self.width * shown) / 2.0
        top, left = (kops.cast(v, "float32") for v in (top, left))
        shift = kops.stack([left, top, left, top])
        cut = clip_to_image_size({**bounding_boxes, "boxes": (boxes - shift) * scale}, self.height, self.width, "xyxy")
        boxes = from_corners(cut["boxes"], self.bounding_box_format, self.height, self.width)
        return {**cut, "boxes": boxes}

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = list(input_shape)
        shape[self.height_axis], shape[self.width_axis] = self.height, self.width
        return tuple(shape)


@public("keras.layers.CenterCrop")
class CenterCrop(CropLayer):
    """Cuts the middle out of images; smaller ones are resized, and the middle of that cut out.

    Args:
        height, width: of the window.
        data_format: "channels_last" or "channels_first", default as configured.

    Input: images `(batch, height, width, channels)` or one without the batch; or a dict, see
    `keras.layers.RandomFlip`. Output: images of the new size, floats.
    """

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        height, width = self._sizes(data)
        found = {"height": height, "width": width}
        if height >= self.height and width >= self.width:
            found.update(top=(height - self.height) // 2, left=(width - self.width) // 2)
        return found

    # Nothing is drawn, so nobody has to have drawn it.

    def transform_images(self, images: Any, transformation: Any = None, training: bool = True) -> Any:
        return super().transform_images(images, transformation or self.get_random_transformation(images))

    def transform_segmentation_masks(self, segmentation_masks: Any, transformation: Any, training: bool = True) -> Any:
        window = transformation or self.get_random_transformation(segmentation_masks)
        return super().transform_segmentation_masks(segmentation_masks, window)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "height", "width")}


@public("keras.layers.RandomCrop")
class RandomCrop(CropLayer):
    """Cuts a window at a random place out of images, in training only; images smaller than it are resized.

    Outside of training images stay as they are, as Keras has it: put a `CenterCrop` or `Resizing` after it if what
    follows needs one size.

    Args:
        height, width: of the window.
        seed: an integer, or None to draw one.
        data_format: "channels_last" or "channels_first", default as configured.
        name: of the layer.

    Input and output: see `CenterCrop`. The place is the same for all images of a batch.
    """

    def __init__(
        self, height: int, width: int, seed: Any = None, data_format: Any = None, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(height, width, data_format=data_format, name=name, **kwargs)
        self._make_generator(default_seed() if seed is None else seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        height, width = self._sizes(data)
        found: dict[str, Any] = {"height": height, "width": width}
        if not training:
            return None
        if height >= self.height and width >= self.width:
            u = random.uniform((2,), dtype="float32", seed=self.generator if seed is None else seed)
            room = (height - self.height + 1, width - self.width + 1)
            for name, value, places in zip(("top", "left"), (u[0], u[1]), room):
                found[name] = kops.minimum(kops.cast(kops.floor(value * places), "int32"), places - 1)
        return found

    def compute_output_shape(self, input_shape: Any, *args: Any, **kwargs: Any) -> Any:
        return super().compute_output_shape(input_shape)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "height", "width", "seed")}
