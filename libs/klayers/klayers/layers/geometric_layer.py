"""The base of augmentations that move pixels about by a matrix."""

from __future__ import annotations

from typing import Any

import kops
from klayers.bounding_boxes import clip_to_image_size, from_corners, to_corners
from klayers.layers.image_layer import ImageLayer
from klayers.layers.settings import choice
from kops.ops.image_warp import FILL_MODES, affine_transform


class GeometricLayer(ImageLayer):
    """Draws one affine matrix for each image, in training only.

    A subclass defines `_matrix(batch, height, width, seed)`: `(a0, a1, a2, b0, b1, b2)`, each a number or `(batch,)`,
    such that the pixel `(x, y)` of the result is that of the image at `(a0 x + a1 y + a2, b0 x + b1 y + b2)`.
    """

    def __init__(
        self, fill_mode: str, interpolation: str, seed: Any, fill_value: float, data_format: Any, **kwargs: Any
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self._make_generator(seed)
        self.fill_mode = choice(fill_mode, "fill_mode", FILL_MODES)
        self.interpolation = choice(interpolation, "interpolation", ("nearest", "bilinear"))
        self.fill_value = fill_value
        self.supports_jit = True

    def _matrix(self, batch: tuple[Any, ...], height: Any, width: Any, seed: Any) -> tuple[Any, ...]:
        raise NotImplementedError

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        sizes = self._images_shape(data)
        batch = self._batch(sizes)
        height, width = (self._float(sizes[a]) for a in (self.height_axis, self.width_axis))
        entries = self._matrix(batch, height, width, self.generator if seed is None else seed)
        zeros = sum(e * 0.0 for e in entries if hasattr(e, "shape")) + kops.zeros(batch, "float32")
        return {
            "matrix": kops.stack([zeros + e for e in (*entries, 0.0, 0.0)], axis=-1),
            "height": height,
            "width": width,
        }

    @staticmethod
    def _float(size: Any) -> Any:
        return float(size) if isinstance(size, int) else kops.cast(size, "float32")

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        images = self._cast(images)
        return self._warped(images, transformation, training, self.interpolation)

    def _warped(self, images: Any, transformation: Any, training: Any, interpolation: str) -> Any:
        if not training or transformation is None:
            return images
        matrix = transformation["matrix"]
        return affine_transform(
            images,
            matrix if len(images.shape) == 4 else matrix[0],
            interpolation=interpolation,
            fill_mode=self.fill_mode,
            fill_value=self.fill_value,
            data_format=self.data_format,
        )

    def transform_segmentation_masks(self, segmentation_masks: Any, transformation: Any, training: bool = True) -> Any:
        # Between two classes there is no third.
        return self._warped(segmentation_masks, transformation, training, "nearest")

    def transform_bounding_boxes(self, bounding_boxes: Any, transformation: Any, training: bool = True) -> Any:
        if not training or transformation is None:
            return bounding_boxes
        height, width = transformation["height"], transformation["width"]
        boxes = to_corners(kops.cast(bounding_boxes["boxes"], "float32"), self.bounding_box_format, height, width)
        # Pixels are looked up at their centres, half a pixel from the edges in which boxes are measured.
        corners = [boxes[..., i] - 0.5 for i in range(4)]
        m = [transformation["matrix"][:, None, i] for i in range(6)]
        a0, a1, a2, b0, b1, b2 = m
        det = a0 * b1 - a1 * b0
        xs, ys = [], []
        for x in corners[::2]:
            for y in corners[1::2]:
                dx, dy = x - a2, y - b2
                xs.append((b1 * dx - a1 * dy) / det + 0.5)
                ys.append((a0 * dy - b0 * dx) / det + 0.5)
        xs, ys = kops.stack(xs, axis=-1), kops.stack(ys, axis=-1)
        moved = kops.stack(
            [kops.min(xs, axis=-1), kops.min(ys, axis=-1), kops.max(xs, axis=-1), kops.max(ys, axis=-1)], axis=-1
        )
        cut = clip_to_image_size({**bounding_boxes, "boxes": moved}, height, width, "xyxy")
        return {**cut, "boxes": from_corners(cut["boxes"], self.bounding_box_format, height, width)}
