#pragma once
// What the programs of both languages must do for one reproduction, decided once.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/expectation.h"
#include "reproduce/reproduction.h"

namespace indexfuzz {

/// What a program looks at besides the elements of the result, since the call may do harm there.
struct Watched {
  bool heap = false;     ///< it may access memory beside its own allocations
  bool state = false;    ///< it may change global state
  bool change = false;   ///< the result may change from call to call
  bool form = false;     ///< it may change an operand's sizes, strides, memory or flags
  bool earlier = false;  ///< the result may share memory with an earlier call's
  /// Elements of the result may share memory, or it may require a gradient or be an inference
  /// tensor.
  bool metadata = false;
  bool leak = false;  ///< it may keep memory, threads or files
};

struct ProgramPlan {
  Expectation expected;
  std::vector<std::string> variables;  ///< of each operand: "self", "indices0"
  int written = -1;                    ///< the operand that the call writes, or -1
  bool resized = false;                ///< `out` does not fit and is resized by the call
  bool put_back = false;               ///< restore written elements, then look around them
  bool in_child = false;               ///< the call may kill its process, or never return
  bool must_answer = false;            ///< a call that does not return is the failure
  bool guarded = false;                ///< operands lie against inaccessible pages
  bool read_only = false;              ///< inputs are read-only during the call
  /// On a GPU: the call may access memory out of bounds, which only compute-sanitizer notices.
  bool look_closer = false;
  Watched watch;
  /// Grad mode is set as in the campaign, since a custom kernel may read it.
  std::optional<bool> grad_mode;
  bool limit_memory = false;  ///< the call may take all memory that there is
  /// New memory is filled: elements that are never written would otherwise often be zeros.
  bool fill_new_memory = false;
  /// Whether an ordinary error on a legal case is the failure, except "not implemented for" a
  /// dtype. If false, the program cannot tell after such an error.
  bool any_refusal = false;
  bool on_gpu = false;  ///< the operands lie on a GPU
  /// Operands of one name lie at the same address in every call, as they did in the campaign: a
  /// kernel may look up what it keeps from call to call by address.
  bool one_place = false;
  bool deterministic = false;  ///< under PyTorch's deterministic flag
  /// The number of threads that PyTorch is told to use. With one thread, some kernels take another
  /// path even for a few elements.
  int threads = 1;
  bool vary_threads = false;  ///< an earlier call uses another number of threads
  bool intermittent = false;  ///< the call was also seen not to fail
  int attempts = 1;           ///< of the call; more than 1 if it may not fail each time
};

ProgramPlan program_plan(const Reproduction& reproduction);
/// The plan for a call whose outcome does not matter.
ProgramPlan program_plan(const EarlierCall& earlier);

/// The distinct earlier calls, and the order in which they are made: each row is one of them,
/// `times` in a row.
struct EarlierCalls {
  struct Row {
    std::size_t call;  ///< index into `different`
    int times;
  };
  std::vector<EarlierCall> different;
  std::vector<Row> rows;
};
EarlierCalls earlier_calls(const std::vector<EarlierCall>& before);
/// The lines that make the earlier calls: `call` writes each row, and `set_threads` the changes of
/// the number of threads between rows and before the judged call.
std::string write_rows(const EarlierCalls& earlier, const ProgramPlan& judged,
                       const std::function<std::string(int threads)>& set_threads,
                       const std::function<std::string(const EarlierCalls::Row&)>& call);

/// Whether the wrong element has several bytes, all of which are `canary`.
bool is_made_of(const Verdict& verdict, std::byte canary);
/// In a plan that watches the form: whether the operand must keep its sizes, strides, memory and
/// flags.
bool keeps_form(const Reproduction& reproduction, int operand);
/// The operands that are present tensors, those that lie in another one's memory last.
std::vector<std::size_t> build_order(const Case& c);
/// The operands whose memory the program compares after the call: those that share memory with no
/// other. Left out is the written one, unless its elements are put back: the call may have written
/// them before it refused, or resizes it, which gives it other memory.
std::vector<std::size_t> watched_operands(const ProgramPlan& plan);
/// Whether another operand lies in operand k's memory.
bool hosts_another(const Case& c, std::size_t k);
/// The variable of the operand that the call writes; "" if it writes none.
std::string written_variable(const ProgramPlan& plan);

/// "index_select, aten:cpu: wrong elements".
std::string headline(const Reproduction& reproduction);
/// The comment at the head of a program, lines prefixed by `mark`: what it shows, how it exits.
std::string introduction(const Reproduction& reproduction, std::string_view mark);
bool is_python_file(std::string_view library);
/// Whether a Python file registers the kernel, so that only a Python program can call it.
bool loads_python_file(const CallSite& call);

}  // namespace indexfuzz
