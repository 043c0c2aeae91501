#pragma once
// What computes operators under one name, resolved to plans.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "run/call/plan.h"

namespace indexfuzz {

/// Which illegal cases, which must be refused, an implementation is given.
enum class IllegalCases : std::uint8_t {
  kAll,
  kNotInPlace,  ///< its in-place calls are made on copies, which overlap nothing
  kNone,
};

struct Implementation {
  std::string name;          ///< "aten:cpu", "form:gather_as_index", "mine::gather"
  int device = -1;           ///< the GPU that its operands lie on; -1: the CPU
  bool custom = false;       ///< a user's own kernel, which may narrow itself
  bool comes_along = false;  ///< added beside one that was asked for; it may refuse every call
  IllegalCases illegal = IllegalCases::kAll;
  bool is_gradient = false;  ///< computes the gradient of a call
  bool is_meta = false;      ///< computes shape and dtype alone: run/call/meta.h
  /// Whether it calls with the operands themselves. Others copy operands, and so would copy a whole
  /// table (ops/fills/table.h).
  bool takes_tables = false;
  /// How a custom kernel promises less than ATen; null: it does not. Borrowed.
  const Contract* contract = nullptr;
  std::uint32_t cost = 1;    ///< of a call of a form, see GeneralForm
  std::uint32_t one_in = 1;  ///< takes one of this many cases of a campaign
  std::vector<Plan> plans;   ///< at most one for each (operator, overload, variant)

  bool on_gpu() const { return device >= 0; }
};

/// PyTorch's own operators on the device of another implementation.
Implementation aten_beside(const Implementation& other);

/// Whether the implementation is to be called on a case. A kernel with a contract gets what the
/// contract speaks of: cases within it and, if it must refuse others, legal cases outside. Only an
/// implementation that takes_tables gets tables. An illegal case also depends on `illegal` and on
/// whether its rule binds this kind of kernel, which need not make every check of ATen's.
bool is_asked(const Implementation& implementation, const Case& c);

/// The plan for the cases of one form; null if the implementation lacks it.
const Plan* find_plan(const Implementation& implementation, const OperatorInfo& op, int overload,
                      Variant variant);

struct Resolved {
  const Contract* contract = nullptr;  ///< of all custom kernels; null: none. Borrowed
  std::vector<Implementation> implementations;
  /// "mine::index_add.out=self": the kernel's schema with an `out`, which is given self, tested as
  /// the in-place form. Appended to `implementations` at the end, as far as there is room.
  std::vector<Implementation> by_out;
  std::vector<std::string> left_out;  ///< a sentence for each kernel, without a full stop
  std::string error;  ///< empty, or one sentence: what was found, what was expected, what to do
  bool device_missing = false;  ///< whether the error is that there is no GPU for it
};

/// Resolves what the user named with --impl. `requested`: the operators under test, at least one.
/// Without names: `aten:cpu`, the forms, `aten:cuda` if there is a GPU and, if they are loaded,
/// indexfuzz's own kernels. `gpus`: how many there are. `contract`: of all custom kernels; null:
/// none.
Resolved resolve(std::span<const std::string> names, std::span<const OperatorInfo* const> requested,
                 int gpus = 0, const Contract* contract = nullptr);

/// Whether one of the names may stand for something on a GPU; true without names.
bool may_need_gpu(std::span<const std::string> names);

}  // namespace indexfuzz
