"""MaxNumBoundingBoxes."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layers.image_layer import ImageLayer
from klayers.layers.settings import config_of, positive_int
from kspec import public


@public("keras.layers.MaxNumBoundingBoxes")
class MaxNumBoundingBoxes(ImageLayer):
    """Cuts or pads the bounding boxes of images to one number.

    Args:
        max_number: how many boxes each image has afterwards.
        fill_value: of the padding boxes and their labels.
        bounding_box_format: see `keras.utils.bounding_boxes.convert_format`.

    Input: a dict with `"images"` and `"bounding_boxes"`, see `keras.layers.RandomFlip`.
    """

    def __init__(self, max_number: int, fill_value: float = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.max_number = positive_int(max_number, "max_number")
        self.fill_value = fill_value

    def transform_images(self, images: Any, transformation: Any = None, training: bool = True) -> Any:
        return images

    def transform_bounding_boxes(self, bounding_boxes: Any, transformation: Any, training: bool = True) -> Any:
        out = dict(bounding_boxes)
        for name, trailing in (("boxes", 1), ("labels", 0)):
            x = kops.convert_to_tensor(bounding_boxes[name])
            axis = len(x.shape) - 1 - trailing
            key = [slice(None)] * axis + [slice(0, self.max_number)]
            x = x[tuple(key)]
            missing = self.max_number - x.shape[axis]
            pads = [[0, 0]] * axis + [[0, missing]] + [[0, 0]] * trailing
            out[name] = kops.pad(x, pads, constant_values=self.fill_value)
        return out

    def transform_labels(self, labels: Any, transformation: Any = None, training: bool = True) -> Any:
        return labels

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any = None, training: bool = True
    ) -> Any:
        return segmentation_masks

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "max_number")}
