#pragma once
// A finding as its reproducers need it, and the texts that are made from it. Runs nothing.

#include <string>
#include <vector>

#include "case/case.h"
#include "judge/verdict.h"
#include "reproduce/reruns.h"

namespace indexfuzz {

/// How the implementation under test is called without indexfuzz.
struct CallSite {
  std::string implementation;          ///< "aten:cpu", "mine::index_select"
  std::vector<std::string> libraries;  ///< the user's own, to load first; also Python files
  /// What a C++ program must load before them if one of them is a Python extension.
  std::vector<std::string> python_libraries;
  bool custom = false;
  std::string device = "cpu";  ///< where the operands lie: "cpu", "cuda:0"
  /// Templates as in ops/definition/schema.h's Form, with the operands' and attributes' names in
  /// braces.
  std::string python;
  std::string cpp;
};

/// A call that is made in the same process before the judged one.
struct EarlierCall {
  Case c;
  CallSite call;
};

struct Reproduction {
  Case c;  ///< the minimal case, legal, `breaks` not yet applied
  Verdict verdict;
  CallSite call;
  std::string signature;
  std::string torch_version;
  Reruns reruns;
  std::vector<EarlierCall> before;
  std::string aten_reason;  ///< why, if ATen fails in the same way; else empty
};

/// Stand-alone programs that exit with 0 if the result is right, 1 if it is wrong (they print
/// expected and actual; what may crash runs in a child), 125 if they cannot tell.
std::string python_program(const Reproduction& reproduction);
std::string cpp_program(const Reproduction& reproduction);
/// The same programs as tests: they pass, fail, or are skipped if they cannot tell. The first one
/// also works as `python FILE`; the second one is to be linked with gtest_main.
std::string pytest_file(const Reproduction& reproduction);
std::string gtest_file(const Reproduction& reproduction);
/// Markdown, ready to file upstream.
std::string issue_text(const Reproduction& reproduction);
/// The case in words, for `show`: operands, layouts as PyTorch code, values, expected result.
std::string describe_case(const Case& c);
/// An operand's layout as PyTorch code over a flat storage tensor of the given name:
/// `base.view(4, 6).t()[1:, ::2]`; falls back to `.as_strided(size, stride, offset)`.
std::string python_view(const Operand& operand, const std::string& base);
/// As python_view(), for any view: "base.as_strided((2, 3), (1, 2), 0)".
std::string python_as_strided(const Dims& shape, const Strided& view, const std::string& base);

}  // namespace indexfuzz
