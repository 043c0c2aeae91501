// Kernels that write outside their output; most of them then restore what was there.
#include "plain_select.h"

namespace planted {
namespace {

/// Overwrites eight bytes at `place` and restores them when it is destroyed.
class Borrowed {
 public:
  explicit Borrowed(char* place) : place_(place) {
    std::memcpy(kept_, place_, sizeof kept_);
    std::memset(place_, 0, sizeof kept_);
  }
  ~Borrowed() { std::memcpy(place_, kept_, sizeof kept_); }

 private:
  char* place_;
  char kept_[8];
};

char* behind(const Tensor& written) {
  const Strided view = strided_1d(written);
  Position last = view.sizes;
  for (int64_t& place : last) --place;
  return view.at(last) + view.item;
}
char* before(const Tensor& written) {
  return strided_1d(written).data - 8;
}

/// The checked arguments of a call with `out`, which is resized.
Selection checked_out(const Tensor& self, int64_t dim, const Tensor& index, Tensor& out) {
  Selection selection = checked_selection(self, dim, index);
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "self is ", self.scalar_type(), ", out ",
              out.scalar_type());
  at::assert_no_internal_overlap(out);
  at::assert_no_overlap(out, self);
  at::assert_no_overlap(out, index);
  at::native::resize_output(out, selection.shape);
  return selection;
}

template <auto kPlace>
Tensor& index_select_out(const Tensor& self, int64_t dim, const Tensor& index, Tensor& out) {
  const Selection selection = checked_out(self, dim, index, out);
  if (out.numel() == 0) return out;
  const Borrowed scratch(kPlace(out));
  select_into(self, selection.dim, selection.rows, out);
  return out;
}

template <auto kPlace>
Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  const Selection selection = checked_selection(self, dim, index);
  const Tensor result = at::empty(selection.shape, self.options());
  if (result.numel() == 0) return result;
  const Borrowed scratch(kPlace(result));
  select_into(self, selection.dim, selection.rows, result);
  return result;
}

/// Clears out before it looks at the other arguments, and with it the gaps between its elements.
Tensor& index_select_clears_gaps(const Tensor& self, int64_t dim, const Tensor& index,
                                 Tensor& out) {
  if (out.numel() > 0) {
    char* const begin = strided_1d(out).data;
    std::memset(begin, 0, static_cast<std::size_t>(behind(out) - begin));
  }
  const Selection selection = checked_out(self, dim, index, out);
  select_into(self, selection.dim, selection.rows, out);
  return out;
}

constexpr const char* kOut =
    ".out(Tensor self, int dim, Tensor index, *, Tensor(a!) out) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "index_select_borrows_behind", kOut, index_select_out<behind>);
  define(m, "index_select_borrows_before", kOut, index_select_out<before>);
  define(m, "index_select_clears_gaps", kOut, index_select_clears_gaps);
  define(m, "index_select_borrows_behind_result", kSelect, index_select<behind>);
  define(m, "index_select_borrows_before_result", kSelect, index_select<before>);
}

}  // namespace
}  // namespace planted
