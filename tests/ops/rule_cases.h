#pragma once
// The illegal rules of one operator, each tried where it applies and where it does not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "../written_case.h"

namespace indexfuzz {

/// Records which rules of an operator were seen to apply, and which not to.
class RuleCases {
 public:
  explicit RuleCases(std::string_view op) : op_(op) {}

  /// The call is what follows the operator on its first line (".Scalar functional dim=0" where it
  /// has overloads); `breaks=` is added to it.
  Case applies(std::string_view rule, std::string_view call, std::string_view operands) {
    applied_.insert(std::string(rule));
    const std::string text = body(rule, call, operands);
    EXPECT_EQ(error_of(text), "") << text;
    if (!error_of(text).empty()) return {};
    const Expectation e = expectation(written(text));
    EXPECT_TRUE(e.must_refuse) << text;
    // One rule is broken and nothing is left over for an oracle.
    EXPECT_TRUE(e.values.empty());
    Case legal = written(text);
    legal.breaks = 0;
    EXPECT_EQ(why_illegal(legal), "");
    return e.c;
  }
  void does_not_apply(std::string_view rule, std::string_view call, std::string_view operands) {
    declined_.insert(std::string(rule));
    EXPECT_THAT(error_of(body(rule, call, operands)),
                ::testing::HasSubstr("'" + std::string(rule) + "' does not apply"))
        << operands;
  }
  /// Every rule was tried both ways, but those that always apply.
  void all_tried(const std::set<std::string>& always) const {
    for (const IllegalRule& rule : find_operator(op_)->rules) {
      const std::string name(rule.name);
      EXPECT_TRUE(applied_.contains(name)) << name;
      EXPECT_NE(declined_.contains(name), always.contains(name)) << name;
    }
  }

 private:
  std::string body(std::string_view rule, std::string_view call, std::string_view operands) const {
    const std::string_view space = call.starts_with(".") ? "" : " ";
    return op_ + std::string(space) + std::string(call) + " breaks=" + std::string(rule) + "\n" +
           std::string(operands);
  }

  std::string op_;
  std::set<std::string> applied_, declined_;
};

}  // namespace indexfuzz
