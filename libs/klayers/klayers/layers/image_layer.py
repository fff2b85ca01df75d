"""The base of layers that change images and what belongs to them: labels, boxes, segmentation masks."""

from __future__ import annotations

from typing import Any

import kops
from klayers.bounding_boxes import FORMATS
from klayers.layers.data_layer import DataLayer
from kops.config import standardize_data_format
from kops.keras_tensor import KerasTensor


class ImageLayer(DataLayer):
    """Takes images, or a dict with `"images"` and any of `"labels"`, `"bounding_boxes"`, `"segmentation_masks"`.

    A subclass says in `get_random_transformation` what is to happen (drawn anew for each image of the batch), and in
    `transform_images` and its siblings how. Images are `(batch, height, width, channels)` or one without the batch,
    or with channels first. Boxes are a dict of `"boxes"` `(batch, boxes, 4)` and `"labels"` `(batch, boxes)`.

    Args:
        factor: strength, a number or a pair (lower, upper); what it means says the subclass.
        bounding_box_format: see `keras.utils.bounding_boxes.convert_format`.
        data_format: "channels_last" or "channels_first", default as configured.
    """

    _factor_bounds: tuple[float, float] = (-1, 1)
    _uses_factor = False
    bounding_box_format: Any = None  # one of FORMATS; None where there are no boxes

    def __init__(
        self, factor: Any = None, bounding_box_format: Any = None, data_format: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        if bounding_box_format is not None:
            if bounding_box_format not in FORMATS:
                raise ValueError(f"bounding_box_format must be one of {FORMATS}, not {bounding_box_format!r}.")
            self.bounding_box_format = bounding_box_format
        if self._uses_factor:
            self.factor = self._range(0.0 if factor is None else factor)

    def _range(self, factor: Any, name: str = "factor", bounds: Any = None) -> tuple[Any, Any]:
        """A factor as (lower, upper)."""
        low, high = self._factor_bounds if bounds is None else bounds
        if isinstance(factor, (tuple, list)):
            if len(factor) != 2:
                raise ValueError(f"{name} must be a number or two numbers, not {factor!r}.")
            lower, upper = sorted(factor)
        elif isinstance(factor, (int, float)) and not isinstance(factor, bool):
            upper = abs(factor)
            lower = max(-upper, low)
        else:
            raise ValueError(f"{name} must be a number or two numbers, not {factor!r}.")
        if lower < low or upper > high:
            raise ValueError(f"{name} must lie between {low} and {high}, not {factor!r}.")
        return lower, upper

    # Where things are

    @property
    def _first(self) -> bool:
        return self.data_format == "channels_first"

    @property
    def height_axis(self) -> int:
        return -2 if self._first else -3

    @property
    def width_axis(self) -> int:
        return -1 if self._first else -2

    @property
    def channel_axis(self) -> int:
        return -3 if self._first else -1

    def _images_shape(self, data: Any) -> tuple[Any, ...]:
        """Shape of the images among the data, unknown dimensions as tensors."""
        images = data["images"] if isinstance(data, dict) else data
        sizes = tuple(kops.shape(images))
        if len(sizes) not in (3, 4):
            raise ValueError(
                f"{type(self).__name__} takes images (batch, height, width, channels) or (height, width, "
                f"channels), not shape {tuple(images.shape)}."
            )
        return sizes

    def _batch(self, sizes: Any) -> tuple[Any, ...]:
        """The shape of one random choice for each image."""
        return (sizes[0],) if len(sizes) == 4 else (1,)

    def _per_image(self, values: Any, images: Any) -> Any:
        """`(batch,)` values in a shape that meets the images."""
        if len(images.shape) == 3:
            return kops.reshape(values, (1, 1, 1))
        return kops.reshape(values, (-1, 1, 1, 1))

    def _cast(self, images: Any) -> Any:
        return kops.cast(images, self.compute_dtype)

    # The contract

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """What is to happen to these data; None if nothing."""
        return None

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """The images after a transformation."""
        raise NotImplementedError(f"{type(self).__name__} must define transform_images.")

    def transform_labels(self, labels: Any, transformation: Any, training: bool = True) -> Any:
        """The labels after a transformation."""
        return labels

    def transform_bounding_boxes(self, bounding_boxes: Any, transformation: Any, training: bool = True) -> Any:
        """The boxes after a transformation."""
        return bounding_boxes

    def transform_segmentation_masks(self, segmentation_masks: Any, transformation: Any, training: bool = True) -> Any:
        """The masks after a transformation."""
        return segmentation_masks

    def transform_single_image(self, image: Any, transformation: Any, training: bool = True) -> Any:
        batch = kops.expand_dims(image, 0)
        return self.transform_images(batch, transformation=transformation, training=training)[0]

    def transform_single_label(self, label: Any, transformation: Any, training: bool = True) -> Any:
        batch = kops.expand_dims(label, 0)
        return self.transform_labels(batch, transformation=transformation, training=training)[0]

    def transform_single_bounding_box(self, bounding_box: Any, transformation: Any, training: bool = True) -> Any:
        batch = {k: kops.expand_dims(v, 0) for k, v in bounding_box.items()}
        boxes = self.transform_bounding_boxes(batch, transformation=transformation, training=training)
        return {k: v[0] for k, v in boxes.items()}

    def transform_single_segmentation_mask(
        self, segmentation_mask: Any, transformation: Any, training: bool = True
    ) -> Any:
        batch = kops.expand_dims(segmentation_mask, 0)
        masks = self.transform_segmentation_masks(batch, transformation=transformation, training=training)
        return masks[0]

    # Calls

    def call(self, data: Any, training: bool = True) -> Any:
        return self._apply(data, self.get_random_transformation(data, training=training), training)

    def _apply(self, data: Any, transformation: Any, training: Any) -> Any:
        # By name: a subclass may leave out what it does not use, and take it in **kwargs.
        given = {"transformation": transformation, "training": training}
        if not isinstance(data, dict):
            return self.transform_images(data, **given)
        if "bounding_boxes" in data and self.bounding_box_format is None:
            raise ValueError(
                f"{type(self).__name__} got bounding boxes but does not know their format: give it "
                "bounding_box_format, as in bounding_box_format='xyxy'."
            )
        out = dict(data)
        lone = len(data["images"].shape) == 3
        for key, change in (
            ("images", self.transform_images),
            ("bounding_boxes", self.transform_bounding_boxes),
            ("labels", self.transform_labels),
            ("segmentation_masks", self.transform_segmentation_masks),
        ):
            if key not in data:
                continue
            if key == "bounding_boxes" and lone:
                out[key] = self.transform_single_bounding_box(data[key], **given)
            else:
                out[key] = change(data[key], **given)
        return out

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def compute_output_spec(self, data: Any, training: bool = True) -> Any:
        if isinstance(data, dict):
            # Shapes do not depend on chance, which need not be drawn for them.
            specs = self._infer_by_call((data,), {"training": False})
            shape = self.compute_output_shape(tuple(data["images"].shape))
            return {**specs, "images": KerasTensor(shape, dtype=self.compute_dtype)}
        return KerasTensor(self.compute_output_shape(tuple(data.shape)), dtype=self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "data_format": self.data_format}
        if self.bounding_box_format is not None:
            config["bounding_box_format"] = self.bounding_box_format
        return config
