#pragma once
// Which functions of LibTorch are ATen's indexing code, and what to call them.

#include <span>
#include <string>
#include <string_view>

namespace indexfuzz {

/// Whether a symbol may be indexing code: its mangled name contains at::native and, as a whole
/// word, one of kWords in native_names.cpp ("AdvancedIndex" has the word index, "output" does not
/// have the word put), or one of kParts.
bool is_indexing_name(std::string_view mangled);

/// The function of at::native to which the code belongs, without namespaces: "index_put_kernel". Of
/// its template arguments and parameters only those are kept that choose an algorithm (types and
/// enumerators of at::native), and Dimname: "cpu_scatter_gather_base_kernel<ReduceAdd>". A loop
/// body, a lambda or an instantiation of a template belongs to the function in which it was
/// written, and is named together with the template in which it runs: "put_kernel:
/// cpu_take_put_kernel". Empty if no such function has one of the words, for example if they occur
/// only in a type, or in a function that is passed as a template argument.
std::string indexing_function(const std::string& mangled);

/// Whether a function, named as above, is code of one of `operators`. Among all ATen operators
/// whose names occur in its name as whole words, the longest decides: "index_put_kernel" is code of
/// index_put, "scatter_reduce_two" of scatter_reduce. A function whose name holds no operator
/// serves several and counts as code of any. False if the name holds one of kNeverDrawn, and for
/// some parts of upsampling, recurrent networks and similar code that merely name indices. Code of
/// reductions other than sums, and of bags, belongs to the operators that have them.
bool is_code_of(std::string_view function, std::span<const std::string> operators,
                std::span<const std::string> all_operators);

}  // namespace indexfuzz
