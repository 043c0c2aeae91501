#include "run/host/determinism.h"

#include <vector>

#include "case/strided_copy.h"
#include "ops/definition/operator.h"
#include "run/call/deterministic_algorithms.h"
#include "run/host/host_call.h"

namespace indexfuzz {
namespace {

// A thread that comes late shows in a few of the calls, if at all.
constexpr int kCalls = 32;

/// Whether several results are right, but each call must return the same one.
bool must_choose_alike(const Arena& arena) {
  const OperatorInfo& op = operator_of(arena.current());
  return !arena.must_refuse() && !op.may_change &&
         op.agreement(arena.current()) == Agreement::kAnyContributor;
}

/// The elements of a tensor of the right shape in logical order.
std::vector<std::byte> elements_of(const ReturnedTensor& tensor, const ResultSpec& spec) {
  if (!tensor.defined || !tensor.on_device || tensor.shape != spec.shape ||
      tensor.dtype != spec.dtype)
    return {};
  const std::size_t size = item_size(spec.dtype);
  std::vector<std::byte> elements(static_cast<std::size_t>(numel(spec.shape)) * size);
  gather_elements(tensor.shape, tensor.strides, size, tensor.data, elements.data());
  return elements;
}

}  // namespace

std::optional<Verdict> find_changing_result(Session& session, std::size_t implementation,
                                            const Plan& plan) {
  if (!must_choose_alike(*session.arena)) return std::nullopt;
  // On one thread PyTorch's own kernels visit their elements in order.
  const Job& job = session.slot.job;
  const bool promised =
      session.implementations[implementation].custom ? job.strict : job.environment.threads > 1;
  if (!promised) return std::nullopt;
  const DeterministicAlgorithms on(true);
  const int written = written_operand(session.arena->current());
  std::vector<std::byte> first;
  for (int i = 0; i < kCalls; ++i) {
    session.arena->restore();
    observe(session, implementation, plan);
    const Observation& observation = session.observation;
    const bool returned = observation.outcome == Outcome::kReturned;
    const auto elements = returned
                              ? elements_of(written < 0 ? observation.result : observation.written,
                                            session.arena->result())
                              : std::vector<std::byte>();
    forget(session, implementation, plan);
    if (elements.empty()) return std::nullopt;
    if (i == 0) first = elements;
    if (elements != first) {
      return finding(Kind::kNondeterminism, written,
                     "the result changes from call to call under deterministic algorithms");
    }
  }
  return std::nullopt;
}

}  // namespace indexfuzz
