# What torch.compile makes of PyTorch's operators: each of them, functional or in-place, is made a
# kernel that the default compiler, Inductor, compiles. In `compiled`, sizes and numbers are
# variables of the code that it generates, in `compiled_static` constants, with code of its own for
# each, which takes longer:
#
#   indexfuzz fuzz gather --load scripts/compiled.py --impl compiled --legal-only --strict \
#       --timeout 60s
#
# A call takes a second or two where it has to be compiled, hence few operators and a longer time
# limit. Without --legal-only, illegal calls that compiled code takes are findings, too. It needs a
# C++ compiler, and Triton on a GPU.
import re

import torch
from torch import library
from torch._dynamo import config
from torch._dynamo.exc import TorchDynamoException
from torch._inductor.exc import InductorError

torch._inductor.config.compile_threads = 1  # no processes that compile for this one, which forks
# Each dtype, rank and layout is compiled anew. Past these limits nothing would be compiled.
config.recompile_limit = config.accumulated_recompile_limit = 1 << 30
# Otherwise nonzero and its like, whose results have sizes that depend on values, are not compiled.
config.capture_dynamic_output_shape_ops = True
torch._inductor.config.cpp.vec_isa_ok = True  # else it is tried out at each start, for long


def in_one_line(error):
    """The error as one whose first line tells it from others, for that is what names a finding."""
    error = getattr(error, "inner_exception", None) or error
    said = re.split(r"\bgot (?=\w+\()", str(error))[-1]  # behind the call, what that raised
    said = re.split(r"[\n{]", said)[0]  # in braces stands a set, in any order
    return RuntimeError(f"{type(error).__name__} as it is compiled: {said}")


def compiled(overload, dynamic):
    def function(*arguments, **keywords):
        return overload(*arguments, **keywords)

    # What was compiled is looked for by the code of a function, so each has its own.
    function.__code__ = function.__code__.replace(co_name=overload.name())
    function = torch.compile(function, dynamic=dynamic, fullgraph=True)

    def call(*arguments, **keywords):
        try:
            return function(*arguments, **keywords)
        except (TorchDynamoException, InductorError) as error:
            if "GuardOnDataDependentSymNode" in str(error):  # a limit that PyTorch documents
                return overload(*arguments, **keywords)
            raise in_one_line(error) from None

    return call


def define_kernels(namespace, dynamic):
    kernels = library.Library(namespace, "DEF")
    for name in torch._C._dispatch_get_all_op_names():
        if not name.startswith("aten::"):
            continue
        name = name.removeprefix("aten::")
        packet, _, which = name.partition(".")
        overload = getattr(getattr(torch.ops.aten, packet), which or "default")
        schema = overload._schema
        returns_view = any(it.alias_info and not it.alias_info.is_write for it in schema.returns)
        has_out = any(argument.is_out for argument in schema.arguments)
        if returns_view or has_out or "Dimname" in str(schema):
            continue
        kernels.define(str(schema).removeprefix("aten::"))
        kernels.impl(name, compiled(overload, dynamic), "CompositeExplicitAutograd")
    return kernels


libraries = [define_kernels("compiled", True), define_kernels("compiled_static", False)]

# The first compilation finds out what the processor can do, which takes seconds, and sets
# environment variables: here, once for all processes that are forked from this one.
torch.ops.compiled.neg(torch.ones(1))
