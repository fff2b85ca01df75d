"""MixUp and CutMix: two images of a batch in one."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layers.image_layer import ImageLayer
from klayers.layers.random_filters import inside_rectangles, rectangles
from klayers.layers.settings import config_of
from kops import random
from kspec import public


class MixLayer(ImageLayer):
    """Mixes each image of a batch with another of it, in training only."""

    def __init__(self, seed: Any, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self._make_generator(seed)

    def _partners(self, batch: Any, seed: Any) -> Any:
        """A random permutation of the batch."""
        return kops.argsort(random.uniform(batch, dtype="float32", seed=seed))

    def _blend(self, x: Any, transformation: Any) -> Any:
        """`weight` of each, the rest of its partner."""
        weight = kops.cast(transformation["weight"], x.dtype)
        weight = kops.reshape(weight, (-1, *(1,) * (len(x.shape) - 1)))
        return weight * x + (1.0 - weight) * kops.take(x, transformation["partners"], axis=0)

    def _batch(self, sizes: Any) -> tuple[Any, ...]:
        if len(sizes) != 4:
            raise ValueError(f"{type(self).__name__} mixes the images of a batch, so it needs one: (batch, ...).")
        return (sizes[0],)

    def transform_labels(self, labels: Any, transformation: Any, training: bool = True) -> Any:
        """Labels as shares, so they must be one-hot."""
        if transformation is None or not training:
            return labels
        return self._blend(kops.cast(labels, self.compute_dtype), transformation)


@public("keras.layers.MixUp")
class MixUp(MixLayer):
    """Overlays each image of a batch with another of it, and mixes their labels likewise, in training only.

    Args:
        alpha: of the beta distribution from which the shares are drawn: the smaller, the closer to 0 and 1.
        data_format: "channels_last" or "channels_first", default as configured.
        seed: an integer, or None to draw one.

    Input: images `(batch, height, width, channels)`; or a dict with `"images"` and one-hot `"labels"`
    `(batch, classes)`. Bounding boxes of both images are kept.

    Source: Zhang et al., "mixup: beyond empirical risk minimization", 2017.
    """

    def __init__(self, alpha: float = 0.2, data_format: Any = None, seed: Any = None, **kwargs: Any) -> None:
        super().__init__(seed, data_format, **kwargs)
        if alpha <= 0:
            raise ValueError(f"alpha must be positive, not {alpha!r}.")
        self.alpha = alpha

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        seed = self.generator if seed is None else seed
        batch = self._batch(self._images_shape(data))
        weight = random.beta(batch, self.alpha, self.alpha, dtype="float32", seed=seed)
        return {"weight": weight, "partners": self._partners(batch, seed)}

    def transform_images(self, images: Any, transformation: Any = None, training: bool = True) -> Any:
        images = self._cast(images)
        return images if transformation is None or not training else self._blend(images, transformation)

    def transform_segmentation_masks(self, segmentation_masks: Any, transformation: Any, training: bool = True) -> Any:
        if transformation is None or not training:
            return segmentation_masks
        return self._blend(kops.cast(segmentation_masks, self.compute_dtype), transformation)

    def transform_bounding_boxes(self, bounding_boxes: Any, transformation: Any, training: bool = True) -> Any:
        if transformation is None or not training:
            return bounding_boxes
        return {
            k: kops.concatenate([v, kops.take(v, transformation["partners"], axis=0)], axis=1)
            for k, v in bounding_boxes.items()
        }

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "alpha", "seed")}


@public("keras.layers.CutMix")
class CutMix(MixLayer):
    """Puts a rectangle of another image of the batch into each, and mixes their labels by area, in training only.

    Args:
        factor: the rectangle's share of the image, or (lower, upper), between which it is drawn; a number is
            (0, number).
        seed: an integer, or None to draw one.
        data_format: "channels_last" or "channels_first", default as configured.

    Input: see `MixUp`, without bounding boxes.

    Source: Yun et al., "CutMix: regularization strategy to train strong classifiers", 2019.
    """

    _uses_factor = True
    _factor_bounds = (0, 1)

    def __init__(self, factor: Any = 1.0, seed: Any = None, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(seed, data_format, factor=factor, **kwargs)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        seed = self.generator if seed is None else seed
        sizes = self._images_shape(data)
        batch = self._batch(sizes)
        height, width = (kops.cast(sizes[a], "float32") for a in (self.height_axis, self.width_axis))
        low, high = (float(f) for f in self.factor)
        share = random.uniform(batch, low, high, dtype="float32", seed=seed)
        found = rectangles(batch, height, width, share, seed)
        area = (found["bottom"] - found["top"]) * (found["right"] - found["left"])
        return {**found, "weight": 1.0 - area / (height * width), "partners": self._partners(batch, seed)}

    def _patched(self, x: Any, transformation: Any) -> Any:
        inside = inside_rectangles(x, transformation, self)
        return kops.where(inside, kops.take(x, transformation["partners"], axis=0), x)

    def transform_images(self, images: Any, transformation: Any = None, training: bool = True) -> Any:
        images = self._cast(images)
        return images if transformation is None or not training else self._patched(images, transformation)

    def transform_segmentation_masks(self, segmentation_masks: Any, transformation: Any, training: bool = True) -> Any:
        if transformation is None or not training:
            return segmentation_masks
        return self._patched(segmentation_masks, transformation)

    def transform_bounding_boxes(self, bounding_boxes: Any, transformation: Any, training: bool = True) -> Any:
        if transformation is None or not training:
            return bounding_boxes
        raise NotImplementedError("CutMix does not cut bounding boxes.")

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "factor", "seed")}
