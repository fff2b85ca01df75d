"""PyTorch's compilers and function transforms go through dispatched ops."""

from __future__ import annotations

import numpy as np
import pytest

from kops import config

if config.backend() != "torch":
    pytest.skip("needs the PyTorch engine", allow_module_level=True)

import torch

from kops import add, exp, less, subtract
from kops.variable import Variable

X = torch.tensor([0.0, 1.0, 2.0])


def f(x):
    return add(exp(x), 1.0)


def compiled(function, **options):
    torch._dynamo.reset()
    return torch.compile(function, fullgraph=True, backend="eager", **options)


def test_autograd():
    x = X.clone().requires_grad_()
    f(x).sum().backward()
    assert torch.allclose(x.grad, X.exp())


def test_variable_gets_gradients():
    v = Variable([0.0, 1.0, 2.0])
    exp(v).sum().backward()
    assert torch.allclose(v.native.grad, X.exp())


def test_compile_without_graph_breaks():
    assert torch.allclose(compiled(f)(X), X.exp() + 1)


def test_compile_with_casts_and_comparison():
    g = compiled(lambda x, n: (add(x, n), less(n, 2)))
    total, small = g(X.half(), torch.tensor([1, 2, 3], dtype=torch.int32))
    assert total.dtype == torch.float16 and total.tolist() == [1.0, 3.0, 5.0]
    assert small.tolist() == [True, False, False]


def test_compile_with_a_variable():
    v = Variable([1.0, 2.0, 3.0])
    g = compiled(lambda x: add(x, v))
    assert g(X).tolist() == [1.0, 3.0, 5.0]
    v.assign([0.0, 0.0, 0.0])
    assert g(X).tolist() == X.tolist()


def test_compile_with_changing_sizes_does_not_specialise():
    count = 0

    def counting(graph, example_inputs):
        nonlocal count
        count += 1
        return graph.forward

    torch._dynamo.reset()
    g = torch.compile(f, fullgraph=True, dynamic=True, backend=counting)
    for n in (3, 4, 5, 6):
        assert torch.allclose(g(torch.zeros(n)), torch.full((n,), 2.0))
    assert count == 1


def test_compile_gradients():
    x = X.clone().requires_grad_()
    compiled(f)(x).sum().backward()
    assert torch.allclose(x.grad, X.exp())


def test_export():
    class Module(torch.nn.Module):
        def forward(self, x):
            return subtract(f(x), 1.0)

    batch = torch.export.Dim("batch", min=2)
    program = torch.export.export(Module(), (torch.zeros(3, 2),), dynamic_shapes=({0: batch},))
    assert torch.allclose(program.module()(torch.zeros(5, 2)), torch.ones(5, 2))


def test_func_grad_and_vmap():
    assert torch.allclose(torch.func.grad(lambda x: f(x).sum())(X), X.exp())
    out = torch.func.vmap(subtract, in_dims=(0, None))(torch.stack([X, X + 1]), X)
    assert out.tolist() == [[0.0] * 3, [1.0] * 3]
    hessian = torch.func.hessian(lambda x: f(x).sum())(X)
    assert torch.allclose(hessian, torch.diag(X.exp()))


def test_fake_tensors():
    with torch._subclasses.fake_tensor.FakeTensorMode():
        assert f(torch.empty(7, 2)).shape == (7, 2)


def test_inference_mode():
    with torch.inference_mode():
        assert np.allclose(f(X).numpy(), np.exp(X.numpy()) + 1)


def test_inductor_compiles_the_fused_paths():
    import kops

    def block(x, kernel, images, window):
        y = kops.layer_normalization(kops.gelu(kops.matmul(x, kernel)))
        return kops.softmax(y), kops.conv(images, window, padding="same")

    args = [torch.randn(2, 4), torch.randn(4, 4), torch.randn(1, 5, 5, 2), torch.randn(2, 2, 2, 3)]
    torch._dynamo.reset()
    for got, want in zip(torch.compile(block, fullgraph=True)(*args), block(*args)):
        assert torch.allclose(got, want, atol=1e-5)
