#pragma once
// What the programs of both languages must do for one reproduction, decided once.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/expectation.h"
#include "reproduce/reproduction.h"

namespace indexfuzz {

struct ProgramPlan {
  Expectation expected;
  std::vector<std::string> variables;  ///< of each operand: "self", "indices0"
  int written = -1;                    ///< the operand that the call writes, or -1
  bool resized = false;                ///< `out` does not fit and is resized by the call
  bool in_child = false;               ///< the call may kill its process, or never return
  bool must_answer = false;            ///< not to return is what is wrong
  bool guarded = false;                ///< operands lie against inaccessible pages
  bool read_only = false;              ///< inputs cannot be written while the call is under way
  /// On a GPU: the call may touch what lies beside memory, which shows only under
  /// compute-sanitizer.
  bool look_closer = false;
  bool watch_heap = false;     ///< the call may write beside memory that it allocated itself
  bool watch_state = false;    ///< the call may change what all calls share
  bool set_grad_mode = false;  ///< it is as where the case ran: a custom kernel may ask for it
  bool grad_mode = false;      ///< whether it is on then
  bool watch_change = false;   ///< the result may change from call to call
  bool watch_form = false;     ///< the call may change an operand's sizes, strides, memory or flags
  bool watch_earlier = false;  ///< the result may lie where that of an earlier call does
  bool watch_overlap = false;  ///< elements of the result may share memory
  bool watch_flags = false;    ///< the result may be one that its caller cannot use like any other
  bool watch_leak = false;     ///< the call may keep memory, threads or files
  bool limit_memory = false;   ///< the call may take all memory that there is
  /// New memory is filled: elements that are never written would else often be zeros.
  bool fill_new_memory = false;
  bool any_refusal = false;  ///< raising on a legal case is wrong, and not merely no answer
  bool on_gpu = false;       ///< the operands lie on a GPU
  /// Operands of one name lie at the same place in every call, as they did in the campaign: what is
  /// kept from one call to the next may be found again by its address.
  bool one_place = false;
  bool deterministic = false;  ///< under PyTorch's deterministic flag
  /// That PyTorch is told to use. Even of a few elements some kernels go another way alone.
  int threads = 1;
  bool vary_threads = false;  ///< an earlier call has another number of them
  int attempts = 1;           ///< of an intermittent finding
};

ProgramPlan program_plan(const Reproduction& reproduction);
/// What it takes to make a call whose outcome does not matter.
ProgramPlan program_plan(const EarlierCall& earlier);

/// The earlier calls, each different one once, and the order in which they are made: so many times
/// each.
struct EarlierCalls {
  struct Row {
    std::size_t call;  ///< index into `different`
    int times;
  };
  std::vector<EarlierCall> different;
  std::vector<Row> rows;
};
EarlierCalls earlier_calls(const std::vector<EarlierCall>& before);
/// The lines that make the earlier calls, as `call` writes a row of them, with those that
/// `set_threads` writes between them wherever the number of threads is another one.
std::string write_rows(const EarlierCalls& earlier, const ProgramPlan& judged,
                       const std::function<std::string(int threads)>& set_threads,
                       const std::function<std::string(const EarlierCalls::Row&)>& call);

/// Whether the wrong element is made of bytes that belong to no element.
bool is_made_of(const Verdict& verdict, std::byte canary);
/// Of a plan with `watch_form`: whether the operand must stay the view that it was.
bool keeps_form(const Reproduction& reproduction, int operand);
/// The present tensors; those that lie in another's memory come last.
std::vector<std::size_t> build_order(const Case& c);
/// Of them, those whose memory the program looks at behind the call. A refused call may have
/// written its own output, and a resized one has other memory.
std::vector<std::size_t> watched_operands(const ProgramPlan& plan);
/// Whether another operand lies in this one's memory.
bool hosts_another(const Case& c, std::size_t k);
/// The variable of the operand that the call writes, or "".
std::string written_variable(const ProgramPlan& plan);
/// Whether the elements that the call has written are put back before what lies beside them is
/// compared.
bool puts_back_written(const ProgramPlan& plan);

/// The template with every `{name}` replaced; `list` writes the operands of a list, "" for a None,
/// and `number` an operand that is passed by value.
struct CallWriter {
  std::string (*list)(const std::vector<std::string>& variables);
  std::string (*number)(const std::string& variable, Dtype dtype, const std::byte* value);
  std::string (*attribute)(const AttributeSpec& spec, std::int64_t value);
};
std::string write_call(const std::string& text, const ProgramPlan& plan, const CallWriter& writer);

void replace_all(std::string& text, const std::string& from, const std::string& to);

/// "index_select, aten:cpu: wrong elements".
std::string headline(const Reproduction& reproduction);
/// The comment in front of a program, each line behind `mark`: what it shows, and how it exits.
std::string introduction(const Reproduction& reproduction, std::string_view mark);
/// The verdict's message on one line of printable ASCII.
std::string one_line(std::string_view text);
bool is_python_file(std::string_view library);
/// Whether a Python file registers the kernel, which takes a Python to call it, then.
bool loads_python_file(const CallSite& call);

/// A double-quoted string literal that Python and C++ both read.
std::string quoted(std::string_view text);
/// Python's expression for a path, whatever its bytes are. Needs `import os`.
std::string python_path(std::string_view path);

/// "(3, 4)", "(3,)", "()".
std::string python_tuple(const Dims& dims);
/// The index of the part of a tensor that begins where it does and has this shape: ":2, :3".
std::string python_part(const Dims& shape);
/// So many elements from `begin` on: ":8", "4:12".
std::string python_slice(std::int64_t begin, std::int64_t count);

}  // namespace indexfuzz
