#pragma once
// The functions by which Python programs make calls in another way: for a batch, without data, by
// derivatives.

#include <string>
#include <string_view>

namespace indexfuzz {

/// `gradient_of(call, x, grad)`, by which calls are written whose gradient is under test.
inline constexpr std::string_view kPythonGradient = R"(

def gradient_of(call, x, grad):
    """The gradient of y = call(x) with respect to x, where that of y is grad(y)."""
    x = x.detach().requires_grad_()
    with torch.enable_grad():
        y = call(x)
    return torch.autograd.grad(y, x, grad(y))[0]

)";

/// What the two functions call that make a call for a batch.
inline constexpr std::string_view kPythonVmaps = R"(

def in_vmaps(call, operands, in_place, levels):
    """call(*operands) as torch.vmap, or one in another, computes it for one of a batch, whose others have other elements.
    levels: the size of the batch, the place of the one, and the dimension of the batch in each tensor; that of the inner torch.vmap first."""
    tree = torch.utils._pytree

    def in_batch(x, size, place, dim):
        other = x if x.numel() == 1 else x.flip(tuple(range(x.dim())))
        if x.numel() == 1 and (x.dtype.is_floating_point or x.dtype.is_complex or x.dtype == torch.bool):
            other = torch.zeros_like(x)
        batch = [other] * size
        batch[place] = x
        return torch.stack(batch, dim)

    leaves, structure = tree.tree_flatten(operands)
    tensors = [k for k in range(len(leaves)) if leaves[k] is not None]
    vmapped = lambda *leaves: call(*tree.tree_unflatten(leaves, structure))
    for size, place, dims in levels:
        in_dims = [None] * len(leaves)
        for k, dim in zip(tensors, dims):
            if dim is not None:
                in_dims[k], leaves[k] = dim, in_batch(leaves[k], size, place, dim)
        vmapped = torch.vmap(vmapped, tuple(in_dims))
    result = vmapped(*leaves)
    for size, place, dims in reversed(levels):
        if len(result) == size:
            result = result[place]
    return operands[0].copy_(result) if in_place else result


def tensors_of(operand):
    return [x for x in torch.utils._pytree.tree_leaves(operand) if x is not None]

)";

/// `under_vmap(call, *operands)`, by which calls are written that are made for a batch.
inline constexpr std::string_view kPythonVmap = R"(
def under_vmap(call, *operands, in_place=False):
    """call(*operands) by torch.vmap, for a batch of two or three."""
    x, count, in_first = tensors_of(operands)[0], len(tensors_of(operands)), len(tensors_of(operands[0]))
    size, last = 2 + x.numel() // 6 % 2, -1 if x.dim() > 2 else 0
    # All operands have a batch dimension, or the first one alone, or the others if there are any.
    which = x.numel() % 3 if count > in_first else 3
    first, others = ((0 if in_place else None, last), (0, last), (-1 - last, None), (last, None))[which]
    dims = [first] * in_first + [others] * (count - in_first)
    # Of three or more, some others.
    if which == 0 and count > 2 and x.numel() >= 6:
        kind = ("-b-", "--b", "-bb", "b-b", "bb-")[(x.numel() // 3 - 2) % 5]
        dims = [last if kind[k % 3] == "b" or k == 0 and in_place else None for k in range(count)]
    # Larger ones have it at the other end, or behind their first dimension.
    moved = x.numel() // 24 % 3
    if moved:
        dims = [dim if dim is None else -1 - dim if moved == 1 else min(1, t.dim()) for dim, t in zip(dims, tensors_of(operands))]
    return in_vmaps(call, operands, in_place, [(size, 0 if x.numel() // 3 % 2 else size - 1, dims)])

)";

/// `under_nested_vmap(call, *operands)`, by which calls are written that are made for a batch of
/// batches.
inline constexpr std::string_view kPythonNestedVmap = R"(
def under_nested_vmap(call, *operands, in_place=False):
    """call(*operands) by torch.vmap(torch.vmap(call)), for a batch of two in one of three, or the other way round."""
    x, count = tensors_of(operands)[0], len(tensors_of(operands))
    inner, last = 2 + x.numel() // 6 % 2, -1 if x.dim() > 2 else 0
    at_end = x.numel() // 3 % 2 == 0
    # Which level the first, second and third operand, and so on, have batches at: inner, outer, both or none.
    kind = ("oii", "ioo", "o-i", "-oi", "bi-", "obi", "i-o", "i-b")[x.numel() % 8]
    levels = []
    for l, size, place in ((0, inner, inner - 1 if at_end else 0), (1, 5 - inner, 0 if at_end else 4 - inner)):
        dims = [None] * count
        for k in range(count):
            if kind[k % 3] in ("b", "io"[l]) or k == 0 and in_place:
                dims[k] = last if (k + l) % 2 else 0
        if dims == [None] * count:
            dims[0] = last
        levels.append((size, place, dims))
    return in_vmaps(call, operands, in_place, levels)

)";

/// `in_forward_mode(call, *operands)`, by which calls are written that are their own derivatives.
inline constexpr std::string_view kPythonForwardMode = R"(

def in_forward_mode(call, *operands, in_place=False, at=0):
    """call(*operands), which is linear at zeros or, if it is a product, at ones, by its derivative in the direction of the operands."""
    forward = torch.autograd.forward_ad

    def dual(x):
        if x is None or not (x.dtype.is_floating_point or x.dtype.is_complex):
            return x
        return forward.make_dual(torch.full_like(x, at), x)

    copies = (operands[0].clone(), *operands[1:]) if in_place else operands
    with forward.dual_level():
        constant, result = forward.unpack_dual(call(*torch.utils._pytree.tree_map(dual, copies)))
        result = torch.zeros_like(constant) if result is None else result.clone()
    if at == 0:
        result = torch.where((constant != 0) & (result == 0), constant, result)
    return operands[0].copy_(result) if in_place else result

)";

/// `by_double_backward(call, *operands)`, of the same kind.
inline constexpr std::string_view kPythonDoubleBackward = R"(

def by_double_backward(call, *operands, in_place=False):
    """call(*operands), which is linear, by the gradient of its gradient in the direction of the operands."""
    zeros, directions = [], []

    def leaf(x):
        if x is None or not (x.dtype.is_floating_point or x.dtype.is_complex):
            return x
        zeros.append(torch.zeros_like(x, requires_grad=True))
        directions.append(x)
        return zeros[0].clone() if in_place and len(zeros) == 1 else zeros[-1]

    with torch.enable_grad():
        copies = (operands[0].clone(), *operands[1:]) if in_place else operands
        y = call(*torch.utils._pytree.tree_map(leaf, copies))
        grad = torch.zeros_like(y, requires_grad=True)
        of_operands = torch.autograd.grad(y, zeros, grad, create_graph=True, allow_unused=True)
        pairs = [(g, d) for g, d in zip(of_operands, directions) if g is not None and g.requires_grad]
        result = None
        if pairs:
            result, = torch.autograd.grad([g for g, d in pairs], grad, [d for g, d in pairs], allow_unused=True)
    y = y.detach()
    result = torch.zeros_like(y) if result is None else result.clone()
    result = torch.where((y != 0) & (result == 0), y, result)
    return operands[0].copy_(result) if in_place else result

)";

/// `by_backward(call, *operands)`, of the same kind.
inline constexpr std::string_view kPythonBackward = R"(

def by_backward(call, *operands):
    """call(*operands), which is linear, by the gradients of up to 48 elements of its result: their weights of the operands' elements.
    The others, and all if they are not what call(*operands) is, are those that it returns while gradients are recorded."""
    zeros, operand_values = [], []

    def is_differentiable(x):
        return x is not None and (x.dtype.is_floating_point or x.dtype.is_complex)

    def leaf(x):
        if not is_differentiable(x):
            return x
        zeros.append(torch.zeros_like(x, requires_grad=True))
        operand_values.append(x)
        return zeros[-1]

    def same(a, b):
        return a.shape == b.shape and a.dtype == b.dtype and bool(((a == b) | (a != a) & (b != b)).all())

    tree_map, plain = torch.utils._pytree.tree_map, call(*operands)
    with torch.enable_grad():
        recorded = call(*tree_map(lambda x: x.detach().requires_grad_() if is_differentiable(x) else x, operands))
        y = call(*tree_map(leaf, operands))
    result, constant = recorded.detach().clone(), y.detach()
    values = torch.cat([x.reshape(-1).to(y.dtype) for x in operand_values])
    if not same(plain, result) or result.numel() == 0 or not 0 < values.numel() <= 4096:
        return result
    last, rows = result.numel() - 1, min(result.numel(), 48)
    for i in {k * last // max(rows - 1, 1) for k in range(rows)}:
        grad = torch.zeros(y.shape, dtype=y.dtype, device=y.device)
        grad.view(-1)[i] = 1
        row = torch.autograd.grad(y, zeros, grad, retain_graph=True, materialize_grads=True)
        weights = torch.cat([g.to_dense().reshape(-1).to(y.dtype) for g in row]).conj().resolve_conj()
        taken = weights.nonzero()[:, 0]
        is_one = len(taken) == 1 and weights[taken[0]] == 1
        element = values[taken[0]] if is_one else (weights * values)[taken].sum()
        at_zeros = constant.reshape(-1)[i]
        result.view(-1)[i] = at_zeros if at_zeros != 0 and element == 0 else element
    return result

)";

/// `on_meta(call, *operands)`, by which calls are written whose result without data is under test.
inline constexpr std::string_view kPythonMeta = R"(

def on_meta(call, *operands):
    """Zeros, or the written operand, with the shape and the dtype that call(*operands) has without data. Notes other strides in `wrong`."""
    tree = torch.utils._pytree
    metas = {}

    def meta_of(x):
        if isinstance(x, torch.Tensor) and id(x) not in metas:
            metas[id(x)] = torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device="meta")
        return metas.get(id(x), x)

    meta = call(*tree.tree_map(meta_of, operands))
    if meta.device.type != "meta":
        return meta.to("meta")  # on the wrong device
    written = [x for x in tree.tree_leaves(operands) if metas.get(id(x)) is meta]
    if not written:
        try:
            strides = call(*operands).stride()
        except Exception:
            strides = meta.stride()
        if meta.numel() and any(a != b for a, b, size in zip(meta.stride(), strides, meta.shape) if size > 1):
            wrong.append(f"without data the result has strides {meta.stride()}, with data {strides}")
        return torch.zeros(meta.shape, dtype=meta.dtype)
    return written[0] if written[0].shape == meta.shape else written[0].resize_(meta.shape)


def same(actual, expected):
    """Only shape and dtype are looked at."""
    return torch.ones(actual.shape, dtype=torch.bool)
)";

/// The functions by which calls are written that are made in another way, beside on_meta.
struct PythonCaller {
  std::string_view function, definition;
  std::string_view before = {};  ///< the definitions that this one needs
};
inline constexpr PythonCaller kPythonCallers[] = {
    {"gradient_of", kPythonGradient},
    {"under_vmap", kPythonVmap, kPythonVmaps},
    {"under_nested_vmap", kPythonNestedVmap, kPythonVmaps},
    {"in_forward_mode", kPythonForwardMode},
    {"by_double_backward", kPythonDoubleBackward},
    {"by_backward", kPythonBackward}};
/// The definitions of those that a program's text calls.
std::string python_callers(std::string_view text);

/// As kPythonMeta, for the lines that people read: `on_meta` returns the result without data.
inline constexpr std::string_view kPythonBareMeta = R"(
def on_meta(call, *operands):
    """call(*operands) without data."""
    result = call(*torch.utils._pytree.tree_map_only(
        torch.Tensor, lambda x: torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device="meta"), operands))
    print("strides", result.stride())
    return result

)";

}  // namespace indexfuzz
