"""`DTypePolicyMap`: dtype policies by the paths of layers."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any, Iterator

from klayers import dtype_policies
from klayers.dtype_policies import DTypePolicy
from kspec import public


@public("keras.dtype_policies.DTypePolicyMap")
class DTypePolicyMap(DTypePolicy, MutableMapping):
    """A policy for each layer of a model: give it as `dtype` to the model, and layers look themselves up by
    path.

    Args:
        default_policy: the policy of paths that stand not in the map; None is the default policy at that
            time.
        policy_map: from path, or regular expression that matches whole paths, to policy.

    Example:
        >>> policies = DTypePolicyMap("float32")
        >>> policies["decoder/attention"] = "mixed_bfloat16"
        >>> policies["decoder/attention"].compute_dtype
        'bfloat16'
    """

    def __init__(self, default_policy: Any = None, policy_map: dict[str, Any] | None = None) -> None:
        self._default = None if default_policy is None else dtype_policies.get(default_policy)
        if isinstance(self._default, DTypePolicyMap):
            raise ValueError("default_policy must be a policy, not another map.")
        if policy_map is not None and not isinstance(policy_map, dict):
            raise TypeError(f"policy_map must be a dictionary from path to policy, not {policy_map!r}.")
        self._map: dict[str, DTypePolicy] = {
            path: dtype_policies.get(policy) for path, policy in (policy_map or {}).items()
        }

    @property
    def default_policy(self) -> DTypePolicy:
        """The policy of paths that stand not in the map."""
        return self._default or dtype_policies.dtype_policy()

    @property
    def name(self) -> str:
        return f"map_{self.default_policy.name}"

    @property
    def source_name(self) -> str:
        return self.default_policy.source_name

    @property
    def compute_dtype(self) -> str:
        return self.default_policy.compute_dtype

    @property
    def variable_dtype(self) -> str:
        return self.default_policy.variable_dtype

    @property
    def quantization_mode(self) -> str | None:
        return self.default_policy.quantization_mode

    def __getitem__(self, key: str) -> DTypePolicy:
        """The policy of a path: of the path itself, of the one expression that matches it, or the default.

        Raises:
            ValueError: when several expressions match.
        """
        if key in self._map:
            return self._map[key]
        matching = [pattern for pattern in self._map if _matches(pattern, key)]
        if len(matching) > 1:
            raise ValueError(
                f"The path {key!r} matches several keys of the DTypePolicyMap: {matching}. "
                "Make them match different paths."
            )
        return self._map[matching[0]] if matching else self.default_policy

    def __setitem__(self, key: str, policy: Any) -> None:
        if key in self._map:
            raise ValueError(
                f"The DTypePolicyMap has a policy for {key!r} already: {self._map[key]!r}. Delete it first."
            )
        self._map[key] = dtype_policies.get(policy)

    def __delitem__(self, key: str) -> None:
        del self._map[key]

    def __contains__(self, key: object) -> bool:
        return key in self._map

    def __len__(self) -> int:
        return len(self._map)

    def __iter__(self) -> Iterator[str]:
        return iter(self._map)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, DTypePolicyMap) and self.get_config() == other.get_config()

    def __hash__(self) -> int:
        return id(self)  # unlike other policies a map changes

    def __repr__(self) -> str:
        rows = ", ".join(f"{path!r}: {policy.name!r}" for path, policy in self._map.items())
        return f"<DTypePolicyMap default={self.default_policy.name!r}, {{{rows}}}>"

    def get_config(self) -> dict[str, Any]:
        default = self._default
        return {
            "default_policy": None if default is None else _name_or_config(default),
            "policy_map": {path: dtype_policies.serialize(policy) for path, policy in self._map.items()},
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> DTypePolicyMap:
        config = dict(config)
        for path, policy in (config.get("policy_map") or {}).items():
            if isinstance(policy, dict):
                policy = dtype_policies.deserialize(policy, custom_objects)
            config["policy_map"] = {**config["policy_map"], path: policy}
        return cls(**config)


def _name_or_config(policy: DTypePolicy) -> Any:
    # A name says it all unless the policy has a setting that stands in no name.
    return policy.name if dtype_policies.get(policy.name) == policy else dtype_policies.serialize(policy)


def _matches(pattern: str, path: str) -> bool:
    try:
        return re.fullmatch(pattern, path) is not None
    except re.error:  # a plain path that is no expression
        return False
