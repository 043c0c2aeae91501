#include "judge/judge.h"

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "case/number.h"
#include "case/strided_copy.h"
#include "case/walk.h"
#include "judge/admissible.h"
#include "judge/fresh_result.h"
#include "judge/sharing.h"
#include "ops/definition/illegal_rule.h"
#include "ops/fills/table.h"

namespace indexfuzz {
namespace {

/// The bytes just in front of an operand's own memory and just behind it.
struct Margins {
  std::byte* front_begin;
  std::byte* front_end;
  std::byte* back_begin;
  std::byte* back_end;
};
Margins margins(const PlacedOperand& placed) {
  const std::span<std::byte> own = own_memory(placed);
  std::byte* const end = own.data() + own.size();
  return {.front_begin = std::max(placed.region->begin(), own.data() - kMargin),
          .front_end = own.data(),
          .back_begin = end,
          .back_end = std::min(placed.region->end(), end + kMargin)};
}

/// What is wrong with one call. The first that is set, in this order, is the verdict: a refusal of
/// a legal case may be no finding by itself, but memory that was damaged on the way is one.
struct Faults {
  std::optional<Verdict> memory, input, outcome, result, value;
};
const std::optional<Verdict>& first_of(const Faults& faults) {
  for (const auto* part : {&faults.memory, &faults.input, &faults.outcome, &faults.result}) {
    if (*part) return *part;
  }
  return faults.value;
}

/// Looks at the canaries beside operand k.
void compare_margins(const Arena& arena, int k, Faults& faults) {
  const Case& c = arena.current();
  const Operand& operand = operand_at(c, k);
  if (!operand.present || operand.shares_memory_with >= 0 || faults.memory) return;
  const PlacedOperand& placed = arena.operands()[static_cast<std::size_t>(k)];
  const Margins beside = margins(placed);
  const std::byte canary = placed.region->canary();
  if (!all_canary(beside.front_begin, beside.front_end, canary) ||
      !all_canary(beside.back_begin, beside.back_end, canary)) {
    faults.memory =
        finding(Kind::kMemory, k, "bytes around " + operand_name(c, k) + " were overwritten");
  }
}

/// Compares operand k with its image; copies differing elements of the written operand into its
/// image. `judged` false: the call has no result to judge, but may have begun to write. Then the
/// elements of the written operand may hold anything, also those that lie in operand k.
void compare_operand(Arena& arena, int k, bool judged, Admissible& admissible, Faults& faults) {
  const Case& c = arena.current();
  const Operand& operand = operand_at(c, k);
  if (!operand.present || operand.shares_memory_with >= 0) return;
  const PlacedOperand& placed = arena.operands()[static_cast<std::size_t>(k)];
  if (placed.is_resized) return;
  const auto extent = static_cast<std::size_t>(placed.extent_bytes);
  std::byte* image = arena.image(k);
  const auto is_as_imaged = [&] { return std::memcmp(image, placed.data, extent) == 0; };
  if (extent == 0 || is_as_imaged()) return;
  std::vector<std::byte> begun;
  if (lies_in(c, written_operand(c), k)) {
    arena.mark_dirty();  // restore() alone does not restore an operand in another one's memory
    // A call that refuses an `out` may have resized it and begun to write it, over its host.
    if (grows_into_host(c)) return;
    begun = image_with_written(arena);
    image = begun.data();
    if (is_as_imaged()) return;
  }

  const std::size_t size = item_size(operand.dtype);
  const bool written = k == written_operand(c);
  Verdict verdict =
      finding(written ? Kind::kValue : Kind::kInput, k,
              written ? std::string() : operand_name(c, k) + " was changed by the call");
  // The image of an input is not changed: that of a dense one is what the oracle reads.
  for_each_element(
      operand.shape,
      [&](std::int64_t i, std::int64_t offset) {
        const std::int64_t at = offset * static_cast<std::int64_t>(size);
        const std::byte* want = image + at;
        const std::byte* got = placed.data + at;
        if (std::memcmp(want, got, size) == 0) return;
        const bool right = written && (!judged || same_number(operand.dtype, want, got) ||
                                       admissible.holds(i, want, got));
        if (!right) note_element(verdict, i, size, want, got);
        if (written) std::memcpy(image + at, got, size);
      },
      placed.view.strides);
  if (verdict.wrong_elements > 0) {
    std::optional<Verdict>& slot = written ? faults.value : faults.input;
    if (!slot) slot = verdict;
  }
  // What still differs belongs to no element: the gaps of the view.
  const bool gap = written ? !is_as_imaged() : verdict.wrong_elements == 0;
  if (gap && !faults.memory)
    faults.memory = finding(Kind::kMemory, k,
                            "bytes in the gaps of " + operand_name(c, k) + " were overwritten");
}

Verdict refused(Kind kind, const Observation& observation) {
  return finding_by_message(kind, -1, observation.message);
}

/// Whether a call ended since there was no memory: of a table, which a kernel may copy, or keep
/// something of each row, that is no finding.
bool says_out_of_memory(std::string_view message) {
  constexpr std::array<std::string_view, 4> kWords{"out of memory", "bad_alloc", "MemoryError",
                                                   "can't allocate memory"};
  return std::ranges::any_of(kWords,
                             [&](auto words) { return message.find(words) != message.npos; });
}

/// PyTorch still resizes an `out` that holds elements, with a deprecation warning: a custom kernel
/// may leave its shape and copy the result into it.
bool may_leave_unresized(const Arena& arena, const Observation& observation,
                         const Standing& standing, Admissible& admissible) {
  if (!standing.is_custom || standing.strict) return false;
  const Operand& last = arena.current().operands.back();
  return last.own_shape && numel(last.shape) > 0 && observation.written.shape == last.shape &&
         holds_broadcast_result(arena, observation.written, admissible);
}

/// The verdict on how the call ended; nullopt if a legal case returned and only its result is left
/// to judge.
std::optional<Verdict> judge_outcome(const Arena& arena, const Observation& observation,
                                     const Standing& standing, Admissible& admissible) {
  switch (observation.outcome) {
    case Outcome::kReturned:
      if (!arena.must_refuse()) {
        if (may_leave_unresized(arena, observation, standing, admissible))
          return no_finding(Status::kRefused, observation.message);
        return std::nullopt;
      }
      if (rule_of(arena.current())->has(kMayBeEmpty) && observation.result.defined &&
          numel(observation.result.shape) == 0)
        return no_finding(Status::kAgreed, observation.message);
      if (standing.is_custom && rule_of(arena.current())->has(kMayReturnAnything))
        return no_finding(Status::kVacuous, observation.message);
      return finding(
          Kind::kAccept, -1,
          "accepted a case that breaks the rule " + std::string(rule_of(arena.current())->name));
    case Outcome::kAsserted: return refused(Kind::kAssert, observation);
    case Outcome::kForeign: return refused(Kind::kRefusal, observation);
    case Outcome::kOutOfMemory:
      if (has_table(arena.current())) return no_finding(Status::kRefused, observation.message);
      return finding(Kind::kOom, -1, observation.message);
    case Outcome::kUnsupported:
      return no_finding(arena.must_refuse() ? Status::kAgreed : Status::kUnsupported,
                        observation.message);
    case Outcome::kRefused:
      if (arena.must_refuse()) return no_finding(Status::kAgreed, observation.message);
      if (has_table(arena.current()) && says_out_of_memory(observation.message))
        return no_finding(Status::kRefused, observation.message);
      if (standing.is_meta && observation.message.starts_with(kOtherStrides))
        return finding(Kind::kMetadata, -1, observation.message);
      if (may_refuse(standing, observation.message))
        return no_finding(Status::kRefused, observation.message);
      return refused(Kind::kRefusal, observation);
  }
  return std::nullopt;
}

/// The verdict on the tensor that a successful call returned or wrote, except for the elements of
/// an operand that kept its place: compare_operand() judges these.
std::optional<Verdict> judge_result(const Arena& arena, const Observation& observation,
                                    Admissible& admissible) {
  const Case& c = arena.current();
  const int written = written_operand(c);
  if (observation.result_count > 1) {
    return finding(
        Kind::kMetadata, -1,
        "returned " + std::to_string(observation.result_count) + " results, expected one");
  }
  if (written < 0) {
    if (observation.result_count == 0) return finding(Kind::kMetadata, -1, "returned no result");
    // A result without elements shares none.
    const ReturnedTensor& result = observation.result;
    const bool has_elements =
        result.defined && result.storage_bytes > 0 && numel(result.shape) != 0;
    for (const PlacedOperand& placed : arena.operands()) {
      if (has_elements && placed.count > 0 && placed.region->holds(result.data)) {
        return finding(Kind::kMetadata, -1, kSharesWithOperand);
      }
    }
    if (observation.shares_earlier_result)
      return finding(Kind::kMetadata, -1, "the result shares memory with an earlier result");
    return judge_fresh(arena, observation.result, -1, admissible);
  }
  if (observation.result_count == 1 && observation.result.same_as_operand != written) {
    return finding(Kind::kMetadata, written, kAnotherTensor);
  }
  const Operand& operand = operand_at(c, written);
  if (!operand.own_shape) {
    const PlacedOperand& placed = arena.operands()[static_cast<std::size_t>(written)];
    if (is_same_view(operand, placed, observation.written))
      return judge_flags(observation.written, written);
    return finding(Kind::kMetadata, written,
                   operand_name(c, written) + " is no longer the same view");
  }
  return judge_fresh(arena, observation.written, written, admissible);
}

}  // namespace

bool is_same_view(const Operand& operand, const PlacedOperand& placed,
                  const ReturnedTensor& tensor) {
  return (tensor.data == placed.data || placed.count == 0) && tensor.dtype_known &&
         tensor.dtype == operand.dtype && tensor.shape == operand.shape &&
         same_strides(operand.shape, tensor.strides, placed.view.strides);
}

bool may_refuse(const Standing& standing, std::string_view message) {
  constexpr std::array<std::string_view, 18> kAccidents{
      // libstdc++
      "vector::", "deque::", "array::at", "basic_string::", "map::at", "_Map_base::at",
      "bitset::", "cannot create std::", "std::get: ", "bad optional access", "bad_function_call",
      "bad_weak_ptr", "std::bad_cast",
      // Python
      "IndexError: list index out of range", "IndexError: tuple index out of range",
      "NameError: ", "UnboundLocalError: ", "ZeroDivisionError: "};
  // Behind the name of Python's class of errors, or of the function whose gradient it is.
  constexpr std::array<std::string_view, 6> kAccidentsAnywhere{
      "CUDA error", "Triton Error [CUDA]",
      // PyTorch's autograd
      "returned an invalid gradient", "returned an incorrect number of gradients",
      "does not require grad and does not have a grad_fn",
      "appears to not have been used in the graph"};
  return standing.is_custom && !standing.strict &&
         std::ranges::none_of(kAccidents, [&](auto text) { return message.starts_with(text); }) &&
         std::ranges::none_of(kAccidentsAnywhere,
                              [&](auto text) { return message.find(text) != message.npos; });
}

Verdict judge(Arena& arena, const Observation& observation, const Standing& standing) {
  const Case& c = arena.current();
  Admissible admissible(arena.oracle_input(), arena.result().dtype, standing);
  const bool returned = observation.outcome == Outcome::kReturned;
  const bool judged = returned && !arena.must_refuse();
  const bool accepted = returned && arena.must_refuse();
  // A kernel that accepts an illegal case may resize `out`, and may then use its whole storage.
  const int written = written_operand(c);
  const bool resized =
      accepted && written >= 0 && observation.written.shape != operand_at(c, written).shape;
  // Of an `out` that the call resized there is no view from before it to read the result through.
  const bool may_share =
      guest_of(c) >= 0 && !grows_into_host(c) && (standing.is_custom || shares_with_gaps(c));
  const bool shares_rightly = accepted && may_share &&
                              !judge_result(arena, observation, admissible) &&
                              right_despite_sharing(arena);
  Faults faults;
  if (observation.canary_bytes > 0)
    faults.memory = finding(Kind::kMemory, -1, observation.canary_note);
  for (int k = 0; k < static_cast<int>(c.operands.size()); ++k) {
    if (k == written && resized) continue;
    compare_margins(arena, k, faults);
    // After an accepted call, right_despite_sharing() compares operands that share memory, or else
    // the acceptance is a finding itself.
    if (!accepted || !takes_part_in_sharing(c, k))
      compare_operand(arena, k, judged, admissible, faults);
  }
  if (const int k = observation.altered_input; k >= 0 && !faults.input) {
    faults.input =
        finding(Kind::kInput, k,
                operand_name(c, k) + " has other sizes, strides, memory or flags after the call");
  }
  if (!shares_rightly) faults.outcome = judge_outcome(arena, observation, standing, admissible);
  if (judged) faults.result = judge_result(arena, observation, admissible);
  Verdict verdict;
  if (judged && numel(arena.result().shape) == 0) verdict.status = Status::kVacuous;
  if (const std::optional<Verdict>& first = first_of(faults)) verdict = *first;
  // restore() alone does not restore an operand in another one's memory.
  if (shares_rightly) arena.mark_dirty();
  if (verdict.status == Status::kFinding) {
    // The cause may be a write far beyond the margins, which are all that is compared each time.
    const int damaged = faults.memory || resized ? -1 : arena.damaged_operand();
    if (damaged >= 0) {
      verdict = finding(Kind::kMemory, damaged,
                        "bytes around " + operand_name(c, damaged) + " were overwritten");
    }
    arena.mark_dirty();
  }
  return verdict;
}

Verdict judge_outside_contract(const Verdict& as_legal, const Observation& observation,
                               std::string_view why) {
  const bool is_worse = as_legal.status == Status::kFinding &&
                        (as_legal.kind == Kind::kMemory || as_legal.kind == Kind::kInput);
  if (is_worse) return as_legal;
  if (observation.outcome == Outcome::kReturned)
    return finding_by_message(Kind::kAccept, -1, "its contract leaves out the " + std::string(why));
  const bool is_refused =
      as_legal.status == Status::kRefused || as_legal.status == Status::kUnsupported;
  return is_refused ? no_finding(Status::kAgreed, observation.message) : as_legal;
}

}  // namespace indexfuzz
