# What torch.compile makes of PyTorch's operators before it generates code: the decompositions of its
# default compiler, in Python. Each becomes a kernel in the namespace `decomposed`:
#
#   indexfuzz fuzz --load scripts/decompositions.py --impl decomposed --legal-only --strict
#
# Of legal calls alone, since others have been refused before a call is decomposed.
import torch
from torch import library
from torch._inductor.decomposition import decompositions
from torch.utils._python_dispatch import TorchDispatchMode


class Decomposing(TorchDispatchMode):
    def __torch_dispatch__(self, overload, types, arguments=(), keywords=None):
        keywords = keywords or {}
        if overload in decompositions:
            with self:  # what a decomposition calls is decomposed, too
                result = decompositions[overload](*arguments, **keywords)
            if result is not NotImplemented:
                return result
        return overload(*arguments, **keywords)


def decomposed(overload):
    def call(*arguments, **keywords):
        with Decomposing():
            return overload(*arguments, **keywords)

    return call


kernels = library.Library("decomposed", "DEF")
for overload in decompositions:
    if not isinstance(overload, torch._ops.OpOverload) or overload.namespace != "aten":
        continue
    schema = overload._schema
    if schema.is_mutable or "Dimname" in str(schema):
        continue
    kernels.define(str(schema).removeprefix("aten::"))
    name = str(overload).removeprefix("aten.").removesuffix(".default")
    kernels.impl(name, decomposed(overload), "CompositeExplicitAutograd")
