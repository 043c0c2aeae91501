#!/usr/bin/env python3
"""Runs every kernel of libindexfuzz_planted_cuda.so on a GPU, without indexfuzz, each in a process of its own.

The correct ones are compared with ATen over strided operands, the planted ones run on a trigger of their defect. Prints
a line each: name, what is expected, what came. Exit code 0 where all came as expected, 69 without a GPU.

usage: planted_cuda_check.py [LIBRARY] [--only PART] [--jobs N] [--timeout SECONDS]
"""

import argparse
import concurrent.futures
import ctypes
import os
import pathlib
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
POISON = 0xAB
GPU = "cuda:0"


def bytes_at(address, count):
    """Bytes on the device, by the runtime that torch has loaded."""
    with open("/proc/self/maps") as maps:
        path = next(line.split()[-1] for line in maps if "libcudart" in line)
    buffer = (ctypes.c_ubyte * count)()
    device_to_host = 2
    error = ctypes.CDLL(path).cudaMemcpy(
        buffer, ctypes.c_void_p(address), ctypes.c_size_t(count), device_to_host)
    if error != 0:
        raise RuntimeError(f"CUDA error {error} while reading {count} bytes")
    return bytes(buffer)


def poison():
    """Fills what the allocator will hand out next with POISON, so that what is left unwritten or overrun tells.

    Returns the ranges of it, as (address, bytes)."""
    blocks = [torch.full((512,), POISON, dtype=torch.uint8, device=GPU) for _ in range(2048)]
    ranges = []
    for address in sorted(block.data_ptr() for block in blocks):
        if ranges and sum(ranges[-1]) == address:
            ranges[-1] = (ranges[-1][0], ranges[-1][1] + 512)
        else:
            ranges.append((address, 512))
    return ranges


def gpu(values, dtype=None):
    """A copy from the host: no kernel, so that nothing but the copy is written."""
    return torch.as_tensor(values, dtype=dtype).to(GPU)


def raw(tensor):
    tensor = tensor.clone(memory_format=torch.contiguous_format)
    return (torch.view_as_real(tensor) if tensor.is_complex() else tensor).reshape(-1).view(torch.uint8)


def same(got, due):
    return got.shape == due.shape and got.dtype == due.dtype and torch.equal(raw(got), raw(due))


def compare(op, aten, *args, **more):
    """Whether op returns, or leaves in its first operand, what ATen does for the same operands."""
    due = aten(*[a.clone() if torch.is_tensor(a) else a for a in args], **more)
    got = op(*args, **more)
    torch.cuda.synchronize()
    if same(got, due):
        return "agrees"
    return f"differs: {got.flatten()[:4].tolist()}, due {due.flatten()[:4].tolist()}, {list(got.shape)}"


def extent(tensor):
    return tensor.data_ptr(), tensor.data_ptr() + tensor.numel() * tensor.element_size()


def overrun(op, aten, *args, workspace=None):
    """As compare, and looks at the 64 bytes on either side of the result, and how many bytes of temporaries changed."""
    due = aten(*args)
    ranges = poison()
    args = [gpu(a.cpu()) if torch.is_tensor(a) else a for a in args]
    got = op(*args)
    torch.cuda.synchronize()
    begin, end = extent(got)
    if any(bytes_at(address, 64) != bytes([POISON]) * 64 for address in (begin - 64, end)):
        return "overruns its result"
    ours = [extent(tensor) for tensor in [*filter(torch.is_tensor, args), got]]
    changed = 0
    for address, count in ranges:
        for place, byte in enumerate(bytes_at(address, count), address):
            changed += byte != POISON and not any(first <= place < last for first, last in ours)
    if workspace is not None and changed > workspace:
        return f"overruns its workspace: wrote {changed} bytes, asked for {workspace}"
    return "agrees" if same(got, due) else "differs"


def pending(op, aten, make_args, calls=1):
    """On a stream of its own, with the inputs written behind a long wait."""
    real = [make_args(k) for k in range(calls)]
    due = [aten(*args) for args in real]
    empty = [[torch.zeros_like(a) if torch.is_tensor(a) else a for a in args] for args in real]
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        # What a first call loads and allocates might wait for the device.
        torch.cuda._sleep(1)
        op(*empty[0])
        stream.synchronize()
        torch.cuda._sleep(400_000_000)
        for wanted, args in zip(real, empty):
            for to, value in zip(args, wanted):
                if torch.is_tensor(to):
                    to.copy_(value)
        got = [op(*args) for args in empty]
    stream.synchronize()
    torch.cuda.synchronize()
    return "agrees" if all(same(g, d) for g, d in zip(got, due)) else "differs"


def filled(shape, dtype, seed=0):
    """Small integers, exact in every dtype and in every order of their sum."""
    g = torch.Generator().manual_seed(seed)
    values = torch.randint(0 if dtype in (torch.bool, torch.uint8) else -2, 3, shape, generator=g)
    return values.to(dtype).to(GPU)


def layouts(tensor):
    """The same elements, contiguous, transposed, with a gap and an offset, and misaligned."""
    yield tensor.contiguous()
    if tensor.dim() > 1:
        yield tensor.transpose(0, -1).contiguous().transpose(0, -1)
    room = torch.zeros([2 * size + 1 for size in tensor.shape], dtype=tensor.dtype, device=GPU)
    gap = room[tuple(slice(1, None, 2) for _ in tensor.shape)]
    yield gap.copy_(tensor)
    flat = torch.zeros(tensor.numel() + 1, dtype=tensor.dtype, device=GPU)[1:].view(tensor.shape)
    yield flat.copy_(tensor)


DTYPES = ["float32", "float16", "bool", "int8", "int64", "complex64", "complex128", "float64", "bfloat16", "uint8"]
SHAPES = [(1,), (5,), (33,), (257,), (3, 5), (2, 3, 4), (1, 65), (129, 2), (4, 300), (1, 1, 2, 1, 3)]


def cases(operator):
    """Legal operands of an operator, deterministic."""
    for number, shape in enumerate(SHAPES):
        dtype = getattr(torch, DTYPES[number % len(DTYPES)])
        for dtype in (dtype, torch.float32):
            g = torch.Generator().manual_seed(number)
            dim = number % len(shape)
            rows = lambda *size: torch.randint(0, shape[dim], size, generator=g).to(GPU)
            mask = (torch.rand(shape, generator=g) < 0.5).to(GPU)
            for self, mask in zip(layouts(filled(shape, dtype, number)), layouts(mask)):
                if operator == "index_select":
                    yield self, dim, rows(7)
                    yield self, dim, rows(14).int()[::2]
                    yield self, dim, rows(0)
                elif operator == "gather":
                    yield self, dim, rows(*shape)
                    yield self, dim, rows(*[2 * size for size in shape])[tuple(slice(None, size) for size in shape)]
                elif operator == "take":
                    yield self, torch.randint(-self.numel(), self.numel(), (9, 40), generator=g).to(GPU)
                elif operator == "scatter_add":
                    yield self, dim, rows(*shape), filled(shape, dtype, 1)
                    yield self, dim, rows(*shape)[:0], filled(shape, dtype, 1)
                elif operator == "index_add":
                    source = list(shape)
                    source[dim] = 300
                    yield self, dim, rows(300), filled(source, dtype, 1)
                elif operator == "embedding_dense_backward" and dtype.is_floating_point:
                    yield filled((300, *shape[1:2], 3), dtype, 1), rows(300, *shape[1:2]), shape[dim], -1, False
                elif operator == "index_put":
                    for accumulate in (False, True):
                        # Without accumulate no index twice, as any of them might win.
                        index = rows(9) if accumulate else torch.arange(-shape[dim], 0, device=GPU)
                        yield self, [None] * dim + [index], filled((), dtype, 1), accumulate
                        count = int(mask.sum())
                        yield self, [mask], filled((count,), dtype, 1), accumulate
                elif operator == "masked_fill":
                    yield self, mask, 1
                    yield self, mask[..., :1], 0
                elif operator == "masked_select":
                    yield self, mask
                    yield self[..., :1], mask
                elif operator == "masked_scatter":
                    yield self, mask, filled((2, self.numel()), dtype, 1).t()
                elif operator == "nonzero":
                    yield (self,)
                elif operator == "where":
                    yield mask, self, filled((), torch.float32, 1)
                    yield mask[:1], self, self.flip(0)


def check_correct(name, operator):
    op, aten = kernel(name), reference(operator)
    if name in ("correct_cuda::index_select_side_stream", "correct_cuda::index_select_strided"):
        outcome = pending(op, aten, select_args)
    elif operator == "where":
        outcome = pending(op, aten, where_args, calls=8)
    else:
        outcome = "agrees"
    if outcome != "agrees":
        return outcome + " with work pending on its inputs"
    judged = 0
    for args in cases(operator):
        if name.endswith("few_blocks"):
            args = (*args[:2], torch.tensor(args[2], device=GPU if judged % 2 else "cpu"))
        try:
            aten(*args)
        except NotImplementedError:
            continue  # ATen has it for other dtypes only
        outcome = compare(op, aten, *args)
        judged += 1
        if outcome != "agrees":
            shown = [(list(a.shape), a.stride(), a.dtype) if torch.is_tensor(a) else a for a in args]
            return f"{outcome}, operands {shown}"
    return f"agrees in {judged} cases"


def kernel(name):
    space, plain = name.removesuffix(".out").split("::")
    packet = getattr(getattr(torch.ops, space), plain)
    if name.endswith(".out"):
        return lambda *args: packet(*args, out=torch.empty(0, dtype=args[0].dtype, device=GPU))
    return packet


def reference(operator):
    # torch.index_put takes no None among the indices, and torch has no embedding_dense_backward.
    in_aten = operator in ("index_put", "embedding_dense_backward")
    return getattr(torch.ops.aten if in_aten else torch, operator)


def select_args(_):
    return torch.arange(1.0, 5.0, device=GPU).view(2, 2), 0, gpu([1, 0, 1])


def where_args(k):
    shape = (k + 1, 3)
    mask = torch.arange(shape[0] * 3, device=GPU).view(shape) % 2 == 0
    return mask, filled(shape, torch.float32, k), filled(shape, torch.float32, k + 100)


def leaks(op, elements=4, calls=8):
    args = torch.ones(elements, device=GPU), gpu([0])
    op(*args)
    torch.cuda.synchronize()
    before = torch.cuda.mem_get_info()[0]
    for _ in range(calls):
        op(*args)
    torch.cuda.synchronize()
    lost = before - torch.cuda.mem_get_info()[0]
    return f"leaks {lost >> 20} MiB in {calls} calls" if lost >= 8 << 20 else "agrees"


def leaks_little(op):
    return leaks(op, elements=1, calls=50_000)


def error_left_behind(op):
    self = torch.zeros(4, device=GPU)
    op(self, gpu([True]), 1)
    try:
        self.add_(1)
    except RuntimeError as error:
        return "leaves an error: " + str(error).splitlines()[0]
    return "agrees"


def unwritten(op, aten, *args):
    """As compare, where a result that is not written holds POISON."""
    due = aten(*args)
    poison()
    got = op(*args)
    torch.cuda.synchronize()
    return "agrees" if same(got, due) else "differs"


def unchecked(op):
    op(torch.ones(2, device=GPU), 0, gpu([2]), sparse_grad=False)
    torch.cuda.synchronize()
    return "accepts an illegal index"


def changes_input(op):
    source = gpu([3.0])
    got = op(torch.zeros(1, device=GPU), 0, gpu([0]), source, alpha=-1)
    torch.cuda.synchronize()
    return "changes its input" if source.item() != 3 else f"agrees: {got.item()}"


def by_index_shape(op):
    torch.use_deterministic_algorithms(True)
    return compare(op, reference("index_put"), gpu([[1.0, 2.0]]), [gpu([0])], gpu([5.0]))


def big_stride(op, stride=1 << 31):
    last = (1 << 31) // stride
    room = torch.zeros((1 << 31) + 8, dtype=torch.uint8, device=GPU)
    room[-8] = 7
    self = torch.as_strided(room, (last + 1,), (stride,))
    return compare(op, torch.index_select, self, 0, gpu([last, 0]))


def no_device_guard(op):
    if torch.cuda.device_count() < 2:
        return "skipped: one device"
    self, index = torch.ones(4, device="cuda:1"), torch.tensor([3], device="cuda:1")
    got = op(self, 0, index)
    torch.cuda.synchronize(0)
    torch.cuda.synchronize(1)
    return "agrees" if got.item() == 1 else "differs"


def triggers():
    """By kernel: the first words of the outcomes that are due, and what gives one of them."""
    ones = lambda *shape, **more: torch.ones(*shape, device=GPU, **more)
    count = lambda n, dtype=torch.float32: torch.arange(1, n + 1, device=GPU).to(dtype)
    zeros = lambda n: torch.zeros(n, dtype=torch.int64, device=GPU)
    masked_put = reference("index_put")
    double = count(5, torch.float64)[1:].view(2, 2)
    slice_ = count(24).view(2, 3, 4)[:, :2]
    late = lambda n: gpu([0] * (n - 1) + [1])
    twice = ones(1), 0, gpu([0, 0]), count(2)
    past_end = gpu([0, 0, 0])[:2], gpu([1.0, 2.0, 4.0])[:2]
    return {
        "index_select_no_device_guard": ("differs faults skipped", no_device_guard),
        "index_select_default_stream": ("differs faults", lambda op: pending(op, torch.index_select, select_args)),
        "index_select_stride_as_size": ("differs", lambda op: compare(op, torch.index_select, slice_, 0, gpu([1]))),
        "index_select_offset_32": ("differs faults", big_stride),
        "index_select_offset_32_where_strides_fit": ("differs faults", lambda op: big_stride(op, 1 << 30)),
        "index_select_misaligned_vector": (
            "faults", lambda op: compare(op, torch.index_select, double, 0, gpu([0, 1]))),
        "index_select_address_rounded_down": (
            "differs", lambda op: compare(op, torch.index_select, double, 0, gpu([0, 1]))),
        "index_select_unrolled_too_far": (
            "overruns", lambda op: overrun(op, torch.index_select, count(3).view(1, 3), 0, gpu([0]))),
        "index_select_shared_over_48k": (
            "differs", lambda op: unwritten(op, torch.index_select, ones(1, dtype=torch.complex128), 0, gpu([0]))),
        "gather_grid_rounded_down.out": (
            "differs", lambda op: unwritten(op, torch.gather, ones(1), 0, zeros(257))),
        "gather_index_unchecked": ("accepts", unchecked),
        "gather_missing_sync": ("differs", lambda op: compare(op, torch.gather, count(2), 0, late(33))),
        "gather_stores_in_front": ("overruns", lambda op: overrun(op, torch.gather, count(1), 0, gpu([0]))),
        # The value is not used and the memory is there: only a guard shows it.
        "gather_loads_next_index": ("agrees", lambda op: compare(op, torch.gather, count(1), 0, gpu([0]))),
        "gather_threads_over_limit": ("differs", lambda op: unwritten(op, torch.gather, ones(1), 0, zeros(1025))),
        "gather_rank5_assert": (
            "faults", lambda op: compare(op, torch.gather, ones(1, 1, 1, 1, 1), 0, zeros(1).view(1, 1, 1, 1, 1))),
        "take_offset_ignored": ("differs", lambda op: compare(op, torch.take, count(2)[1:], gpu([0]))),
        "take_negative_not_wrapped": ("differs", lambda op: compare(op, torch.take, count(3)[1:], gpu([-1]))),
        "take_grid_of_nothing": ("faults", lambda op: compare(op, torch.take, count(2), gpu([], torch.int64))),
        "take_workspace_leaked": ("leaks", leaks),
        "take_small_leak": ("leaks", leaks_little),
        "scatter_add_not_atomic_": ("differs", lambda op: compare(op, torch.scatter_add, *twice)),
        "scatter_add_half_by_word": (
            "differs", lambda op: compare(op, torch.scatter_add, count(2).half(), 0, gpu([0, 1]), count(2).half())),
        "scatter_add_bool_as_byte": (
            "differs", lambda op: compare(op, torch.scatter_add, gpu([True]), 0, gpu([0]), gpu([True]))),
        "scatter_add_lanes_counted_again": (
            "differs", lambda op: compare(op, torch.scatter_add, ones(1), 0, gpu([0]), ones(1))),
        "scatter_add_empty_index_grid": (
            "differs", lambda op: unwritten(op, torch.scatter_add, ones(1), 0, zeros(0), ones(0))),
        "scatter_add_reads_written_self_": ("differs", lambda op: compare(op, torch.scatter_add, *twice)),
        "index_add_sums_of_blocks": (
            "differs", lambda op: compare(op, torch.index_add, ones(1), 0, zeros(257), count(257))),
        "index_add_reads_past_index_": (
            "differs", lambda op: compare(op, torch.index_add, ones(1), 0, *past_end)),
        "index_add_scales_source": ("changes", changes_input),
        "embedding_dense_backward_other_rows_unwritten": (
            "differs", lambda op: unwritten(op, torch.ops.aten.embedding_dense_backward, ones(1, 1), gpu([0]), 2, -1, False)),
        "index_put_not_atomic": (
            "differs", lambda op: compare(op, masked_put, ones(1), [gpu([0, 0])], ones(1), True)),
        "index_put_values_by_index_shape_": ("refuses", by_index_shape),
        "index_put_tail_dropped": (
            "differs", lambda op: compare(op, masked_put, ones(1, 33), [gpu([0])], gpu([5.0]))),
        # A machine whose GPU reaches all of the host's memory reads the value.
        "masked_fill_value_on_host": (
            "faults agrees", lambda op: compare(op, torch.masked_fill, ones(1), gpu([True]), torch.tensor(5.0))),
        "masked_fill_mask_in_items": (
            "differs", lambda op: compare(op, torch.masked_fill, ones(2), gpu([False, True, *[False] * 8])[:2], 5)),
        "masked_fill_error_left_behind_": ("leaves", error_left_behind),
        "masked_select_carry_forgotten": (
            "differs", lambda op: compare(op, torch.masked_select, count(65), gpu([True]))),
        "masked_select_workspace_too_small": (
            "overruns", lambda op: overrun(op, torch.masked_select, count(1), gpu([True]), workspace=8)),
        "masked_select_waits_for_nothing": (
            "hangs", lambda op: compare(op, torch.masked_select, ones(1), gpu([False] * 64 + [True]))),
        "masked_select_count_not_awaited": (
            "differs", lambda op: compare(op, torch.masked_select, count(3), gpu([True]))),
        "masked_scatter_rank_in_byte": (
            "differs", lambda op: compare(op, torch.masked_scatter, ones(1), gpu([True] * 257), count(257))),
        "nonzero_truncated": ("differs", lambda op: compare(op, torch.nonzero, gpu([0.5]))),
        "where_starts_too_early": ("differs", lambda op: pending(op, torch.where, where_args)),
        "where_table_reused": ("differs", lambda op: pending(op, torch.where, where_args, calls=8)),
    }


def run_one(library, name, operator):
    torch.ops.load_library(library)
    torch.zeros(1, device=GPU)
    if name.startswith("correct_cuda::"):
        due, check = "agrees", lambda op: check_correct(name, operator)
    else:
        due, check = triggers()[name.removeprefix("planted_cuda::")]
    try:
        outcome = check(kernel(name))
        torch.cuda.synchronize()
    except RuntimeError as error:
        line = str(error).splitlines()[0]
        outcome = ("faults: " if "CUDA error" in str(error) else "refuses: ") + line
    print(f"{due}\n{outcome}", flush=True)
    os._exit(0)  # a broken context is not taken down in order


def run_child(options, row):
    command = [sys.executable, __file__, options.plugin, "--one", row["name"], row["operator"]]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return row["name"], "hangs" if "waits_for_nothing" in row["name"] else "no hang", "hangs"
    lines = ended.stdout.splitlines()
    if len(lines) < 2:
        return row["name"], "an outcome", f"died with {ended.returncode}: {ended.stderr[-300:]}"
    return row["name"], lines[-2], lines[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugin", nargs="?", default=str(ROOT / "build/libindexfuzz_planted_cuda.so"))
    parser.add_argument("--only", default="", metavar="PART", help="only kernels with this in their names")
    parser.add_argument("--jobs", type=int, default=6)
    parser.add_argument("--timeout", type=float, default=90, help="seconds after which a kernel hangs")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        global torch
        import torch
        run_one(options.plugin, *options.one)
    probe = "import torch; print(torch.cuda.device_count())"
    found = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True).stdout
    if found.strip() in ("", "0"):
        print("skipped: no CUDA device, or no torch with CUDA")
        return 69
    with open(ROOT / "src/planted/cuda/catalogue.toml", "rb") as file:
        rows = [row for row in tomllib.load(file)["kernel"] if options.only in row["name"]]
    good = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, due, got in pool.map(lambda row: run_child(options, row), rows):
            fits = got.split()[0].strip(":") in due.split() if got else False
            good += fits
            print(f"{'ok  ' if fits else 'BAD '} {name:<50} {due:<24} {got}", flush=True)
    print(f"{good} of {len(rows)} as expected")
    return 0 if good == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
