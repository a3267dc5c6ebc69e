"""The small transformer against PyTorch's own attention, and the activations that it saves against their formula."""

import pytest
import torch

from largebatch.activations import saved_bytes
from largebatch.transformer import Attention, blocks


def test_attention_equals_pytorchs():
    torch.manual_seed(0)
    attention = Attention(width=12, heads=3, max_length=9).double()
    x = torch.randn(2, 7, 12, dtype=torch.float64)
    queries, keys, values = (
        project(x).view(2, 7, 3, 4).transpose(1, 2)
        for project in (attention.to_queries, attention.to_keys, attention.to_values)
    )
    expected = torch.nn.functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    assert torch.allclose(attention(x), attention.to_output(expected.transpose(1, 2).reshape(2, 7, 12)))


def test_no_token_sees_the_future():
    torch.manual_seed(0)
    model = blocks(2, 8, 2, 6)
    x = torch.randn(1, 6, 8)
    changed = x.clone()
    changed[:, 4:] += 1.0
    assert torch.allclose(model(x)[:, :4], model(changed)[:, :4], atol=1e-6)
    assert not torch.allclose(model(x)[:, 4:], model(changed)[:, 4:], atol=1e-2)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("layers", "width", "heads", "length"), [(1, 8, 1, 4), (2, 64, 4, 32), (3, 32, 8, 5)])
def test_saved_bytes_follow_the_formula_of_lesson_02(layers, width, heads, length, dtype):
    model = blocks(layers, width, heads, length).to(dtype)
    for micro_batch in (1, 2, 5):
        numbers = 16 * length * micro_batch * width + heads * micro_batch * length**2 + 4 * length * micro_batch
        counted = saved_bytes(model, torch.randn(micro_batch, length, width, dtype=dtype))
        assert counted == layers * numbers * dtype.itemsize


def test_saved_bytes_count_shared_memory_once_and_parameters_never():
    linear = torch.nn.Linear(10, 10)
    assert saved_bytes(linear, torch.randn(4, 10)) == 4 * 10 * 4
    square = torch.nn.Sequential(linear, torch.nn.Tanh(), torch.nn.Identity())
    assert saved_bytes(square, torch.randn(4, 10)) == 2 * 4 * 10 * 4
