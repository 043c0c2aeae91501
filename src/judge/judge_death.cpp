#include "judge/judge_death.h"

#include <csignal>

#include <string>

#include "ops/definition/operator.h"

namespace indexfuzz {

Verdict judge_written_input(const Case& c, int signal, int operand) {
  Verdict verdict =
      finding_by_message(Kind::kInput, operand, "wrote into " + operand_name(c, operand));
  verdict.signal = static_cast<std::int8_t>(signal);
  return verdict;
}

Verdict judge_death(const Case& c, int signal, int faulting_operand, bool fault_in_heap_guard) {
  const bool guard = faulting_operand >= 0 || fault_in_heap_guard;
  std::string text = "ended by signal " + std::to_string(signal);
  if (faulting_operand >= 0 && faulting_operand < static_cast<int>(c.operands.size())) {
    text = "touched memory beyond " + operand_name(c, faulting_operand);
  } else if (fault_in_heap_guard) {
    text = "touched memory beyond an allocation of its own";
  } else if (signal == SIGSEGV) {
    text = "segmentation fault";
  } else if (signal == SIGABRT) {
    text = "aborted";
  }
  Verdict verdict = finding(guard ? Kind::kMemory : Kind::kCrash, faulting_operand, text);
  verdict.signal = static_cast<std::int8_t>(signal);
  return verdict;
}

}  // namespace indexfuzz
