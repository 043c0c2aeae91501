#pragma once
// Which functions of LibTorch are ATen's indexing code, and what to call them.

#include <span>
#include <string>
#include <string_view>

namespace indexfuzz {

/// Whether a symbol may be one: its mangled name has at::native in it and, as a whole word, index,
/// scatter, gather, masked, take, put, nonzero, where or embedding ("AdvancedIndex" has the word
/// index, "output" has not the word put).
bool is_indexing_name(std::string_view mangled);

/// The function of at::native that the code belongs to, without namespaces: "index_put_kernel". Of
/// its template arguments and parameters those stay that choose an algorithm, types and enumerators
/// of at::native, and Dimname: "cpu_scatter_gather_base_kernel<ReduceAdd>". A loop body, a lambda
/// or an instantiation of a template belongs to the function that it was written in, and is named
/// with the template that it runs in: "put_kernel: cpu_take_put_kernel". Empty where no such
/// function has one of the words, as where they stand in a type only, or in a function that is
/// handed over as a template argument.
std::string indexing_function(const std::string& mangled);

/// Whether a function, named as above, is code of one of `operators`: of the names of all ATen's
/// operators that occur in its name as whole words, the longest decides. So "index_put_kernel" is
/// code of index_put and "scatter_reduce_two" of scatter_reduce. One whose name holds no operator
/// serves several and counts as theirs. Never so where it holds a word for what no case has:
/// sparse, quantized, nested, cuda, Dimname; nor for some parts of upsampling, recurrent networks
/// and the like, which only name indices. Reductions that are no sum, and bags, are code of the
/// operators that have them.
bool is_code_of(std::string_view function, std::span<const std::string> operators,
                std::span<const std::string> all_operators);

}  // namespace indexfuzz
