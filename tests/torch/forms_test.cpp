// Composite forms agree with the oracle, and form:contiguous says that layout does not matter.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "../written_case.h"
#include "indexfuzz_config.h"
#include "judge/judge.h"
#include "known_small_failures.h"
#include "ops/families/advanced_index.h"
#include "reproduce/reproduction.h"
#include "run/call/executor.h"
#include "run/call/form_implementations.h"
#include "run/call/forms.h"
#include "run/call/gradient_implementations.h"
#include "run/call/gradients.h"
#include "run/call/implementation.h"
#include "run/call/named_implementation.h"
#include "run/watch/guarded_allocator.h"
#include "run/watch/state.h"

namespace indexfuzz {
namespace {

std::vector<Target> functional_targets(const OperatorInfo& op) {
  std::vector<Target> targets;
  for (std::size_t o = 0; o < op.overloads.size(); ++o) {
    if (find_form(op.overloads[o], Variant::kFunctional) != nullptr)
      targets.push_back({op.number, static_cast<std::uint8_t>(o), Variant::kFunctional});
  }
  return targets;
}

/// Other operators have known failures in batches, see the ledger.
constexpr std::string_view kRightInBatches[] = {"flip", "gather",      "masked_fill",
                                                "put",  "scatter_add", "take"};

/// Of others PyTorch is wrong about derivatives, see the ledger.
constexpr std::string_view kRightByDerivatives[] = {"cat",
                                                    "flip",
                                                    "index_select",
                                                    "masked_scatter",
                                                    "masked_select",
                                                    "put",
                                                    "reflection_pad2d",

                                                    "take",
                                                    "stack",
                                                    "tril",
                                                    "replication_pad1d",
                                                    "triu"};

/// Of others much is registered in Python, and of some PyTorch is wrong, see the ledger.
constexpr std::string_view kRightWithoutData[] = {
    "cat", "gather", "index_copy", "index_fill", "masked_fill", "scatter", "scatter_add"};

bool is_right_without_data(std::string_view op) {
  return std::ranges::find(kRightWithoutData, op) != std::end(kRightWithoutData);
}

bool is_derivative(const Implementation& form) {
  return form.name == "form:double_backward" || form.name == "form:forward_mode";
}

/// Calls with a gradient that PyTorch refuses to compute.
bool is_known_to_have_no_gradient(const Case& c) {
  const std::string_view op = operator_of(c).name;
  // The gradient of a real operand beside complex ones is complex.
  if (op == "where" || op == "masked_fill")
    return std::ranges::any_of(c.operands,
                               [](const Operand& o) { return o.present && is_complex(o.dtype); });
  // A selection by nothing.
  if (op == "index" || op == "index_put") {
    return std::ranges::count_if(c.operands, &Operand::present) == (op == "index" ? 1 : 2);
  }
  return op == "gather" && c.operands[1].dtype == Dtype::kInt32 && c.operands[1].shape.empty();
}

/// Bugs of PyTorch that forms meet as well: int32 indices that gather sees expanded, lists of None
/// alone, and uint8 masks with one value.
bool is_known(const Implementation& form, const Case& c, const Verdict& verdict) {
  const auto is = [](const Operand& o, Dtype dtype) { return o.present && o.dtype == dtype; };
  if (form.is_meta) return !is_right_without_data(operator_of(c).name);
  if (form.name == "form:index_select_as_gather") return is(c.operands[1], Dtype::kInt32);
  if (form.name == "form:vmap" || form.name == "form:nested_vmap")
    return std::ranges::find(kRightInBatches, operator_of(c).name) == std::end(kRightInBatches);
  if (is_derivative(form))
    return std::ranges::find(kRightByDerivatives, operator_of(c).name) ==
           std::end(kRightByDerivatives);
  // Negative numbers are not wrapped.
  if (form.name == "form:sparse") return operator_of(c).name == "narrow_copy";
  // The gradient is written into a copy of the result's with the same strides, which may overlap.
  if (form.name == "gradient:aten::diagonal_scatter" ||
      form.name == "gradient:aten::select_scatter")
    return has_sliding(c.operands[0].layout);
  // PyTorch passes on the gradient of what is replaced in place of the rest.
  if (form.name == "gradient:aten::as_strided_scatter") return verdict.kind == Kind::kValue;
  // PyTorch multiplies by alpha where its conjugate is due.
  if (form.name == "gradient:aten::index_add" && is_complex(c.operands[0].dtype))
    return verdict.kind == Kind::kValue;
  const bool has_no_gradient = form.is_gradient && is_known_to_have_no_gradient(c);
  if (has_no_gradient && (verdict.kind == Kind::kRefusal || verdict.kind == Kind::kAssert))
    return true;
  // PyTorch up to 2.13 divides by how often the next index occurs.
  if (form.name == "gradient:aten::embedding_bag")
    return c.attributes[2] != 0 && verdict.kind == Kind::kValue;
  // PyTorch counts a self that is left out of a maximum among those that share it.
  if (form.name == "gradient:aten::scatter_reduce" && verdict.kind == Kind::kValue)
    return c.attributes[0] < 0;
  if (form.name == "gradient:aten::index_reduce")
    return verdict.kind == Kind::kAssert || (verdict.kind == Kind::kValue && c.attributes[0] < 0);
  // PyTorch lets numbers wrap in the dtype of the boundaries.
  if (operator_of(c).name == "bucketize" || operator_of(c).name == "searchsorted")
    return operator_of(c).aten_only(c) && verdict.kind == Kind::kValue;
  // PyTorch names an element behind the plane where a window holds padding alone.
  if (operator_of(c).name.ends_with("with_indices"))
    return operator_of(c).aten_only(c) && verdict.kind == Kind::kValue;
  // gather's gradient is scatter_add's sum, and the other way round.
  if (form.name == "gradient:aten::gather" || form.name == "gradient:aten::scatter_add")
    return has_expanded(c.operands[1].layout);
  // PyTorch 2.11 asserts where slices of 16-bit floating-point numbers have one element.
  if (operator_of(c).name == "index_reduce" &&
      (c.operands[0].dtype == Dtype::kHalf || c.operands[0].dtype == Dtype::kBFloat16))
    return verdict.kind == Kind::kAssert;
  // PyTorch 2.11 lets the arithmetic of steps that are longer than any tensor overflow.
  if (operator_of(c).name == "slice_scatter" && c.attributes[3] >= std::int64_t{1} << 60)
    return verdict.kind == Kind::kRefusal;
  if (has_no_lengths(c)) return verdict.kind == Kind::kRefusal;
  if (form.name == "form:contiguous" && has_gaps_alone(c))
    return verdict.kind == Kind::kRefusal || verdict.kind == Kind::kAssert;
  return verdict.kind == Kind::kRefusal &&
         std::ranges::any_of(c.operands, [&](const Operand& o) { return is(o, Dtype::kUInt8); });
}

/// Bags that end before the last index: PyTorch goes on to it, and where there is no bag at all,
/// dies. Rows of segments that it steps through by a stride of no meaning. In batches and
/// derivatives operands get strides of their own.
bool is_known_to_die(const Implementation& form, const Case& c) {
  if (takes_indices_for_contiguous(operator_of(c))) return form.name != "form:contiguous";
  return steps_by_stride_of_one_element(c) ||
         (operator_of(c).name == "embedding_bag" && operator_of(c).aten_only(c));
}

class Forms : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    install_guarded_allocator();
    set_global_state();
  }

  /// How many cases of the operator the implementation was right about. `right`: the last of those
  /// with a few elements.
  int judge_cases(const Implementation& form, const OperatorInfo& op, int count,
                  Case* right = nullptr) {
    const std::vector<Target> targets = functional_targets(op);
    Limits limits;
    limits.illegal = false;
    Case c;
    int agreed = 0;
    for (int i = 0; i < count; ++i) {
      draw_case(11, 0, static_cast<std::uint64_t>(i), targets, limits, c);
      const Plan* plan = find_plan(form, op, c.overload, c.variant);
      if (plan == nullptr || !is_asked(form, c) || is_known_to_die(form, c)) continue;
      arena_->prepare(c);
      executor_.run(*plan, *arena_, observation_);
      const Verdict verdict = judge(*arena_, observation_, {.is_meta = form.is_meta});
      executor_.release();
      agreed += verdict.status == Status::kAgreed;
      if (verdict.status == Status::kAgreed && right != nullptr && total_elements(c) <= 64)
        *right = c;
      if (verdict.status == Status::kFinding && !is_known(form, c, verdict))
        ADD_FAILURE() << form.name << ": " << verdict.message.data() << "\n" << to_text(c);
    }
    return agreed;
  }

  std::unique_ptr<Arena> arena_ = std::make_unique<Arena>();
  Executor executor_;
  Observation observation_;
};

TEST_F(Forms, EveryCompositeIsRightAboutItsOperator) {
  EXPECT_GE(composite_forms().size(), 8u);
  for (const CompositeForm& form : composite_forms()) {
    const OperatorInfo* op = find_operator(form.op);
    ASSERT_NE(op, nullptr) << form.name;
    const std::string name = std::string(kFormPrefix) + std::string(form.name);
    const Resolved resolved = resolve(std::span(&name, 1), operators());
    ASSERT_EQ(resolved.error, "");
    // Of several overloads a form has one.
    EXPECT_GT(judge_cases(resolved.implementations[0], *op, 1500), 400) << name;
  }
}

TEST_F(Forms, LayoutDoesNotMatter) {
  const std::string name = "form:contiguous";
  const Resolved resolved = resolve(std::span(&name, 1), operators());
  ASSERT_EQ(resolved.error, "");
  for (const OperatorInfo* op : operators()) {
    EXPECT_GT(judge_cases(resolved.implementations[0], *op, 1500), 800) << op->name;
  }
}

TEST_F(Forms, TheRestOfABatchDoesNotMatter) {
  for (const std::string name : {"form:vmap", "form:nested_vmap"}) {
    const Resolved resolved = resolve(std::span(&name, 1), operators());
    ASSERT_EQ(resolved.error, "");
    for (const std::string_view op : kRightInBatches)
      EXPECT_GT(judge_cases(resolved.implementations[0], *find_operator(op), 1500), 400)
          << name << " " << op;
  }
}

TEST_F(Forms, ALinearCallIsItsOwnDerivative) {
  for (const std::string name : {"form:double_backward", "form:forward_mode"}) {
    const Resolved resolved = resolve(std::span(&name, 1), operators());
    ASSERT_EQ(resolved.error, "");
    // Integers, which half of the cases have, have no derivative.
    for (const std::string_view op : kRightByDerivatives)
      EXPECT_GT(judge_cases(resolved.implementations[0], *find_operator(op), 1500), 100)
          << name << " " << op;
  }
}

TEST_F(Forms, GradientsOfAllElementsComputeTheOperatorItself) {
  for (const std::string op :
       {"cat", "flip", "gather", "index", "index_add", "index_put", "index_select", "masked_fill",
        "masked_scatter", "masked_select", "put", "repeat_interleave", "stack", "take", "where"}) {
    const std::string name = "gradient:aten::" + op;
    const OperatorInfo* const tested = find_operator(op);
    const Resolved resolved = resolve(std::span(&name, 1), std::span(&tested, 1));
    ASSERT_EQ(resolved.error, "");
    EXPECT_GT(judge_cases(resolved.implementations[0], *tested, 1500), 60) << name;
  }
}

TEST_F(Forms, WhichElementsAreStoredDoesNotMatter) {
  const std::string name = "form:sparse";
  const Resolved resolved = resolve(std::span(&name, 1), operators());
  ASSERT_EQ(resolved.error, "");
  for (const std::string_view op : {"cat", "index_select", "narrow_copy", "stack"})
    EXPECT_GT(judge_cases(resolved.implementations[0], *find_operator(op), 1500), 300) << op;
}

TEST_F(Forms, WhatHasNoDataHasTheRightShapeAndDtype) {
  const std::string name = "aten:meta";
  const Resolved resolved = resolve(std::span(&name, 1), operators());
  ASSERT_EQ(resolved.error, "");
  ASSERT_TRUE(resolved.implementations[0].is_meta);
  for (const std::string_view op : kRightWithoutData)
    EXPECT_GT(judge_cases(resolved.implementations[0], *find_operator(op), 1500), 800) << op;
}

TEST_F(Forms, EveryGradientIsRightAboutTheOperatorThatItComputes) {
  EXPECT_GE(gradient_rules().size(), 8u);
  EXPECT_TRUE(std::ranges::is_sorted(gradient_rules(), {}, &GradientRule::of));
  for (const std::string& name : gradient_names(operators())) {
    const Resolved resolved = resolve(std::span(&name, 1), operators());
    ASSERT_EQ(resolved.error, "");
    const Implementation& gradient = resolved.implementations.at(0);
    // PyTorch's is wrong; the planted kernels have one that is right.
    if (gradient.name == "gradient:aten::as_strided_scatter") continue;
    // Integers, which half of the cases have, have no gradient.
    EXPECT_GT(judge_cases(gradient, *gradient.plans.at(0).op, 4000), 300) << name;
  }
}

TEST_F(Forms, TheProgramsOfWhatIsWrittenInPythonOnlySayThatItIsRight) {
  const std::string folder = testing::TempDir() + "programs" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  std::size_t programs = 0;
  std::vector<std::string> names = gradient_names(operators());
  names.emplace_back("gradient:aten::stack");
  for (const char* name : {"form:double_backward", "form:forward_mode", "form:nested_vmap",
                           "form:sparse", "form:vmap", "aten:meta"})
    names.emplace_back(name);
  for (const std::string& name : names) {
    const Resolved resolved = resolve(std::span(&name, 1), operators());
    ASSERT_EQ(resolved.error, "");
    const Implementation& implementation = resolved.implementations.at(0);
    for (const Plan& plan : implementation.plans) {
      if (plan.overload != 0 || plan.variant != Variant::kFunctional) continue;
      if (implementation.is_meta && !is_right_without_data(plan.op->name)) continue;
      Reproduction r;
      judge_cases(implementation, *plan.op, 500, &r.c);
      if (r.c.operands.empty() || r.c.overload != 0) continue;
      r.verdict.status = Status::kFinding;
      r.verdict.kind = Kind::kValue;
      r.call = {.implementation = name, .python = plan.python, .cpp = plan.cpp};
      std::ofstream(folder + "/" + std::to_string(programs++) + ".py") << python_program(r);
    }
  }
  EXPECT_GT(programs, gradient_rules().size() + 100);
  // One after another in one process, which imports torch once.
  std::ofstream(folder + "/all") << "import glob, runpy\n"
                                    "files = glob.glob('" +
                                        folder +
                                        "/*.py')\n"
                                        "for file in files:\n"
                                        "    try: runpy.run_path(file)\n"
                                        "    except SystemExit as end:\n"
                                        "        if end.code: print(file, 'exits with', end.code)\n"
                                        "print('ran', len(files))\n";
  const std::string python = *config::kPython == '\0' ? "python3" : config::kPython;
  std::FILE* const output = popen((python + " " + folder + "/all 2>&1").c_str(), "r");
  ASSERT_NE(output, nullptr);
  std::string said;
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) said += static_cast<char>(c);
  EXPECT_EQ(pclose(output), 0);
  EXPECT_EQ(said.find("exits with"), std::string::npos) << said;
  EXPECT_THAT(said, testing::HasSubstr("ran " + std::to_string(programs) + "\n"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace indexfuzz
