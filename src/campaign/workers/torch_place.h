#pragma once
// Where LibTorch is on a machine other than the one that indexfuzz was built on.

#include <string>

namespace indexfuzz {

/// Lets programs that this one starts find LibTorch: where the one that was built with is not in
/// its place, by the torch of `python3`, through LD_LIBRARY_PATH. Does so once; changes nothing
/// where that variable names a LibTorch already, or where no python3 has a torch.
void point_to_torch();

/// The folder of LibTorch's libraries: that of the build or, behind point_to_torch, of this
/// machine; empty where there is none.
std::string torch_libraries();

}  // namespace indexfuzz
