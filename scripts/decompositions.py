# What PyTorch's operators become where Python computes them: each of their decompositions is made a
# kernel. `decomposed` holds those that torch.compile's default compiler takes before it generates
# code, `decomposed_for_export` all that run_decompositions() may be given:
#
#   indexfuzz fuzz --load scripts/decompositions.py --impl decomposed --legal-only --strict
#
# Of legal calls alone, since others have been refused before a call is decomposed.
import torch
from torch import library
from torch._decomp import decomposition_table
from torch._inductor.decomposition import decompositions
from torch.utils._python_dispatch import TorchDispatchMode


class Decomposing(TorchDispatchMode):
    def __init__(self, table):
        super().__init__()
        self.table = table

    def __torch_dispatch__(self, overload, types, arguments=(), keywords=None):
        keywords = keywords or {}
        if overload in self.table:
            with self:  # what a decomposition calls is decomposed, too
                result = self.table[overload](*arguments, **keywords)
            if result is not NotImplemented:
                return result
        return overload(*arguments, **keywords)


def decomposed(overload, table):
    def call(*arguments, **keywords):
        with Decomposing(table):
            return overload(*arguments, **keywords)

    return call


def define_kernels(namespace, table):
    kernels = library.Library(namespace, "DEF")
    for overload in table:
        if not isinstance(overload, torch._ops.OpOverload) or overload.namespace != "aten":
            continue
        schema = overload._schema
        if schema.is_mutable or "Dimname" in str(schema):
            continue
        kernels.define(str(schema).removeprefix("aten::"))
        name = str(overload).removeprefix("aten.").removesuffix(".default")
        kernels.impl(name, decomposed(overload, table), "CompositeExplicitAutograd")
    return kernels


libraries = [
    define_kernels("decomposed", decompositions),
    define_kernels("decomposed_for_export", decomposition_table),
]
