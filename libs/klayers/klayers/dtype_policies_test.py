from __future__ import annotations

import numpy as np
import pytest

import kops
from klayers import dtype_policies
from klayers.dtype_policies import DTypePolicy, FloatDTypePolicy, get, set_dtype_policy
from klayers.policy_map import DTypePolicyMap
from klayers.quantized_policies import (
    AWQDTypePolicy,
    GPTQDTypePolicy,
    Int4DTypePolicy,
    QuantizedDTypePolicy,
    QuantizedFloat8DTypePolicy,
)


@pytest.fixture(autouse=True)
def default_policy():
    yield
    set_dtype_policy(None)
    kops.config.set_floatx("float32")


@pytest.mark.parametrize(
    ("name", "compute", "variable"),
    [
        ("float32", "float32", "float32"),
        ("mixed_float16", "float16", "float32"),
        ("mixed_bfloat16", "bfloat16", "float32"),
        ("float16", "float16", "float16"),
        ("int8", "int8", "int8"),
        ("string", "string", "string"),
    ],
)
def test_names(name, compute, variable):
    policy = DTypePolicy(name)
    assert (policy.name, policy.compute_dtype, policy.variable_dtype) == (name, compute, variable)
    assert policy.quantization_mode is None
    assert dtype_policies.serialize(policy) == {
        "module": "keras",
        "class_name": "DTypePolicy",
        "config": {"name": name},
        "registered_name": None,
    }
    assert dtype_policies.deserialize(dtype_policies.serialize(policy)) == policy


@pytest.mark.parametrize("bad", ["mixed_float64", "foo", "int2_from_float32", "int8", 3, True])
def test_other_names_are_refused(bad):
    with pytest.raises(ValueError, match="olicy|mode"):
        get(bad)


def test_policies_are_shared_and_equal_by_value():
    assert get("float32") is get("float32") is get(np.float32) is dtype_policies.dtype_policy()
    record = dtype_policies.serialize(get("mixed_float16"))
    assert get(record) is get("mixed_float16")
    assert DTypePolicy("float16") == FloatDTypePolicy("float16") and len({DTypePolicy("a" * 0 or "int8")}) == 1
    assert dtype_policies.serialize(FloatDTypePolicy("bfloat16"))["class_name"] == "FloatDTypePolicy"


def test_the_default_follows_floatx_until_it_is_set():
    kops.config.set_floatx("float16")
    assert DTypePolicy().name == dtype_policies.dtype_policy().name == "float16"
    set_dtype_policy("mixed_bfloat16")
    assert get(None).name == DTypePolicy().name == "mixed_bfloat16"
    set_dtype_policy("int8_from_float32")
    assert dtype_policies.dtype_policy().quantization_mode == "int8"
    with pytest.raises(ValueError, match="'int8_from_float32'"):
        set_dtype_policy("int8")


def test_quantized_policies():
    policy = get("int8_from_mixed_bfloat16")
    assert type(policy) is QuantizedDTypePolicy
    assert (policy.compute_dtype, policy.variable_dtype) == ("bfloat16", "float32")
    assert policy.get_config() == {"mode": "int8", "source_name": "mixed_bfloat16"}
    assert QuantizedDTypePolicy("int4").name == "int4_from_float32"
    eight = get("float8_from_float32")
    assert type(eight) is QuantizedFloat8DTypePolicy and eight.amax_history_length == 1024
    gptq = get("gptq/4/128_from_float32")
    assert (type(gptq), gptq.weight_bits, gptq.group_size) == (GPTQDTypePolicy, 4, 128)
    assert gptq.quantization_mode == gptq.mode == "gptq"
    assert gptq.get_config() == {"mode": "gptq/4/128", "source_name": "float32"}
    awq, four = get("awq/4/-1_from_float32"), get("int4/64_from_float32")
    assert (type(awq), awq.group_size) == (AWQDTypePolicy, -1)
    assert (type(four), four.block_size, four.quantization_mode) == (Int4DTypePolicy, 64, "int4")
    for one in (policy, eight, gptq, awq, four):
        record = dtype_policies.serialize(one)
        assert record["module"] == "keras.dtype_policies"
        assert dtype_policies.deserialize(record) == one and get(one.name) == one


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: QuantizedDTypePolicy("int3"), "Unknown quantization mode 'int3'"),
        (lambda: QuantizedDTypePolicy("int8", "mixed_float16"), "overflow float16"),
        (lambda: GPTQDTypePolicy("gptq"), "gptq/<weight_bits>/<group_size>"),
        (lambda: GPTQDTypePolicy("gptq/9/128"), "one of 2, 3, 4, 8, not 9"),
        (lambda: GPTQDTypePolicy("gptq/4/-2"), "group_size must be positive, or -1"),
        (lambda: AWQDTypePolicy("awq/3/-1"), "one of 4, not 3"),
        (lambda: Int4DTypePolicy("int4/0"), "block_size must be positive, or -1"),
        (lambda: Int4DTypePolicy("int4/x"), "int4/<block_size>"),
        (lambda: QuantizedFloat8DTypePolicy("float8", None, 0), "positive integer, not 0"),
    ],
)
def test_wrong_quantized_policies(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_map():
    policies = DTypePolicyMap("float32", {"encoder/.*": "mixed_float16"})
    policies["decoder"] = "mixed_bfloat16"
    assert policies["decoder"].name == "mixed_bfloat16"
    assert policies["encoder/dense"].name == "mixed_float16"
    assert policies["encoder"].name == policies["x/decoder"].name == "float32"
    assert policies.compute_dtype == "float32" and len(policies) == 2 and list(policies)[1] == "decoder"
    with pytest.raises(ValueError, match="has a policy for 'decoder' already"):
        policies["decoder"] = "float32"
    policies["encoder/d.*"] = "float16"
    with pytest.raises(ValueError, match="matches several keys"):
        policies["encoder/dense"]
    del policies["encoder/d.*"]
    config = dtype_policies.serialize(policies)
    assert config["config"]["default_policy"] == "float32"
    again = dtype_policies.deserialize(config)
    assert again == policies and again["encoder/dense"] is get("mixed_float16")


def test_convert_input_casts_floats_only():
    policy = get("mixed_float16")
    cast = policy.convert_input(np.ones(2, "float32"), True, "float16")
    assert kops.standardize_dtype(cast.dtype) == "float16"
    kept = policy.convert_input(np.ones(2, "int32"), True, "float16")
    assert kops.standardize_dtype(kept.dtype) == "int32"
    assert kops.standardize_dtype(policy.convert_input(np.ones(2, "float32"), False, "float16").dtype) == "float32"
    assert policy.convert_input(kops.KerasTensor((2,)), True, "float16").dtype == "float16"
    for other in (3.0, "a", None):
        assert policy.convert_input(other, True, "float16") is other
