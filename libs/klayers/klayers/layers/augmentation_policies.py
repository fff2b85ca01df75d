"""RandAugment and AugMix: random sequences of augmentations."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layers.color_layer import ColorLayer
from klayers.layers.equalization import AutoContrast, Equalization
from klayers.layers.random_affine import RandomShear, RandomTranslation
from klayers.layers.random_color import RandomColorDegeneration, _Hidden
from klayers.layers.random_filters import RandomSharpness
from klayers.layers.random_rotation import RandomRotation
from klayers.layers.random_tone import RandomBrightness, RandomContrast, RandomPosterization, Solarization
from klayers.layers.settings import choice, config_of, positive_int
from kops import random
from kspec import public


class PolicyLayer(ColorLayer):
    """Draws augmentations by chance from a list. One choice holds for a batch, its strength for an image."""

    _uses_factor = True
    _factor_bounds = (0, 1)

    def __init__(
        self, value_range: Any, factor: Any, interpolation: str, seed: Any, data_format: Any, **kwargs: Any
    ) -> None:
        super().__init__(value_range, seed, factor=factor, data_format=data_format, **kwargs)
        self.interpolation = choice(interpolation, "interpolation", ("nearest", "bilinear"))

    def _make_tools(self, all_ops: bool = True) -> None:
        top = self.factor[1]
        colour = {"value_range": self.value_range, "data_format": self.data_format, "dtype": self.dtype_policy}
        plain = {"data_format": self.data_format, "dtype": self.dtype_policy, "fill_mode": "constant"}
        plain["interpolation"] = self.interpolation
        tools: list[Any] = [
            AutoContrast(**colour),
            Equalization(**colour),
            Solarization(threshold_factor=self.factor, **colour),
            RandomPosterization((max(1, round(8 - 7 * top)), 8), **colour),
            RandomRotation((-top / 6, top / 6), **plain),
            RandomShear(x_factor=self.factor, **plain),
            RandomShear(y_factor=self.factor, **plain),
            RandomTranslation(top / 2, 0.0, **plain),
            RandomTranslation(0.0, top / 2, **plain),
        ]
        if all_ops:
            tools += [
                RandomColorDegeneration(self.factor, **colour),
                RandomContrast(self.factor, **colour),
                RandomBrightness((-top / 2, top / 2), **colour),
                RandomSharpness((0.5 - top / 2, 0.5 + top / 2), **colour),
            ]
        # Hidden from files and weights: they draw from the generator of this layer.
        self._tools = _Hidden(tools)

    def _choice(self, data: Any, seed: Any) -> dict[str, Any]:
        """One of the tools, and what each of them would do."""
        tools = self._tools.layers
        u = random.uniform((), dtype="float32", seed=seed)
        index = kops.minimum(kops.cast(u * float(len(tools)), "int32"), len(tools) - 1)
        # Drawn before the branches: in a compiled branch the generator could not move on.
        return {"index": index, "each": [t.get_random_transformation(data, True, seed) for t in tools]}

    def _applied(self, images: Any, chosen: dict[str, Any]) -> Any:
        branches = [
            lambda x, tool=tool, own=own: kops.cast(tool.transform_images(x, own), x.dtype)
            for tool, own in zip(self._tools.layers, chosen["each"])
        ]
        return kops.switch(chosen["index"], branches, images)

    def transform_bounding_boxes(self, bounding_boxes: Any, transformation: Any, training: bool = True) -> Any:
        if transformation is None or not training:
            return bounding_boxes
        raise NotImplementedError(f"{type(self).__name__} does not move bounding boxes.")

    def transform_segmentation_masks(self, segmentation_masks: Any, transformation: Any, training: bool = True) -> Any:
        if transformation is None or not training:
            return segmentation_masks
        raise NotImplementedError(f"{type(self).__name__} does not move segmentation masks.")


@public("keras.layers.RandAugment")
class RandAugment(PolicyLayer):
    """Applies several augmentations, drawn by chance, one after the other, in training only.

    Args:
        value_range: the lowest and the highest value of a pixel.
        num_ops: how many.
        factor: their strength from 0 to 1, or (lower, upper); a number is (0, number).
        interpolation: "bilinear" or "nearest".
        seed: an integer, or None to draw one.
        data_format: "channels_last" or "channels_first", default as configured.

    Source: Cubuk et al., "RandAugment: practical automated data augmentation with a reduced search space", 2019.
    """

    def __init__(
        self,
        value_range: Any = (0, 255),
        num_ops: int = 2,
        factor: Any = 0.5,
        interpolation: str = "bilinear",
        seed: Any = None,
        data_format: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(value_range, factor, interpolation, seed, data_format, **kwargs)
        self.num_ops = positive_int(num_ops, "num_ops")
        self._make_tools()

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        seed = self.generator if seed is None else seed
        return [self._choice(data, seed) for _ in range(self.num_ops)]

    def _changed(self, images: Any, transformation: Any) -> Any:
        for chosen in transformation:
            images = self._applied(images, chosen)
        return images

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "num_ops", "factor", "interpolation")}


@public("keras.layers.AugMix")
class AugMix(PolicyLayer):
    """Blends an image with several chains of augmentations of it, in training only.

    Args:
        value_range: the lowest and the highest value of a pixel.
        num_chains: how many chains.
        chain_depth: how long a chain is at most.
        factor: the strength of augmentations from 0 to 1, or (lower, upper); a number is (0, number).
        alpha: of the Dirichlet and beta distributions from which the shares of the blend are drawn.
        all_ops: whether colour, contrast, brightness and sharpness are among the augmentations.
        interpolation: "bilinear" or "nearest".
        seed: an integer, or None to draw one.
        data_format: "channels_last" or "channels_first", default as configured.

    Source: Hendrycks et al., "AugMix: a simple data processing method to improve robustness", 2019.
    """

    def __init__(
        self,
        value_range: Any = (0, 255),
        num_chains: int = 3,
        chain_depth: int = 3,
        factor: Any = 0.3,
        alpha: float = 1.0,
        all_ops: bool = True,
        interpolation: str = "bilinear",
        seed: Any = None,
        data_format: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(value_range, factor, interpolation, seed, data_format, **kwargs)
        self.num_chains = positive_int(num_chains, "num_chains")
        self.chain_depth = positive_int(chain_depth, "chain_depth")
        self.alpha = alpha
        self.all_ops = all_ops
        self._make_tools(all_ops)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        seed = self.generator if seed is None else seed
        batch = self._batch(self._images_shape(data))
        gammas = random.gamma((self.num_chains, *batch), self.alpha, dtype="float32", seed=seed)
        depth = random.uniform((self.num_chains,), 1.0, self.chain_depth + 1.0, dtype="float32", seed=seed)
        return {
            "shares": gammas / kops.sum(gammas, axis=0, keepdims=True),
            "weight": random.beta(batch, self.alpha, self.alpha, dtype="float32", seed=seed),
            "depths": kops.floor(depth),
            "chains": [[self._choice(data, seed) for _ in range(self.chain_depth)] for _ in range(self.num_chains)],
        }

    def _changed(self, images: Any, transformation: Any) -> Any:
        blend: Any = 0.0
        for i, chain in enumerate(transformation["chains"]):
            x = images
            for step, chosen in enumerate(chain):
                x = kops.where(transformation["depths"][i] > step, self._applied(x, chosen), x)
            blend = blend + x * self._each(transformation["shares"][i], images)
        weight = self._each(transformation["weight"], images)
        return images * weight + blend * (1.0 - weight)

    def get_config(self) -> dict[str, Any]:
        names = ("num_chains", "chain_depth", "factor", "alpha", "all_ops", "interpolation")
        return {**super().get_config(), **config_of(self, *names)}
