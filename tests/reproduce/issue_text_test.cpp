#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../written_case.h"
#include "reproduction_of.h"

namespace indexfuzz {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(IssueText, WhatIsLeakedOrLeftChangedIsNamedAndTheLinesAloneAreSaidToShowNothing) {
  Reproduction r = reproduction_of(kStrided, Kind::kLeak);
  set_message(r.verdict, "does not give back file descriptors");
  EXPECT_THAT(issue_text(r), HasSubstr("aten:cpu: the call does not give back file descriptors\n"));
  EXPECT_THAT(issue_text(r), HasSubstr("show nothing wrong"));
  r = reproduction_of(kStrided, Kind::kInput);
  set_message(r.verdict, "changed the rounding mode");
  EXPECT_THAT(issue_text(r), HasSubstr("aten:cpu: the call changed the rounding mode\n"));
  EXPECT_THAT(issue_text(r), HasSubstr("show nothing wrong"));
  // The input that is named is an operand's elements, which the lines show.
  r.verdict.operand = 0;
  EXPECT_THAT(issue_text(r), HasSubstr("aten:cpu: an input is changed\n"));
  EXPECT_THAT(issue_text(r), Not(HasSubstr("show nothing wrong")));
}

TEST(IssueText, OnlyWhatFailsEachTimeIsCalledMinimal) {
  Reproduction r = reproduction_of(kStrided, Kind::kValue);
  EXPECT_THAT(issue_text(r), HasSubstr("No smaller case that fails in the same way"));
  r.reruns = {3, 10};
  EXPECT_THAT(issue_text(r), Not(HasSubstr("minimal")));
}

TEST(IssueText, TheLinesOfAnIssueShowWhatIsWrong) {
  Reproduction r = reproduction_of(kStrided, Kind::kInput);
  r.verdict.operand = 1;
  EXPECT_THAT(issue_text(r),
              HasSubstr("before = index.clone()\ntorch.index_select(self, 1, index)\n"
                        "print(before, index)\n"));
  r = reproduction_of(kStrided, Kind::kMetadata);
  set_message(r.verdict, "the result shares memory with an operand");
  EXPECT_THAT(issue_text(r), HasSubstr("for operand in [self, index]])\n"));
  EXPECT_THAT(issue_text(r), HasSubstr("# index_select, aten:cpu: the result shares memory"));
  set_message(r.verdict, "the result has shape (1, 1), expected (2, 1)");
  EXPECT_THAT(issue_text(r), HasSubstr("aten:cpu: the result has a wrong shape\n"));
  EXPECT_THAT(issue_text(r), HasSubstr("print(torch.index_select(self, 1, index))\n"));
}

TEST(IssueText, AnIssueNamesTheIndexThatIsOutOfRange) {
  Reproduction r = reproduction_of(kOutOfRange, Kind::kAccept);
  EXPECT_THAT(issue_text(r), HasSubstr("the arguments are illegal (index above: index holds 2)."));
  EXPECT_THAT(issue_text(r), Not(HasSubstr("own operator fails")));
  r.aten_reason = "it forgets to look";
  EXPECT_THAT(issue_text(r),
              HasSubstr("operator fails so on this case, and with it what hands such "
                        "calls on to it: it forgets to look\n"));
}

TEST(IssueText, AnIssueWithVeryManyElementsShowsTheCallAlone) {
  const Reproduction r = reproduction_of(
      "indexfuzz case 1\n"
      "index_select functional\nself float32 (100, 1000) fill=hash1\nindex int64 (2) fill=first\n",
      Kind::kValue);
  EXPECT_GT(python_program(r).size(), 100'000u);
  const std::string issue = issue_text(r);
  EXPECT_LT(issue.size(), 30'000u);
  EXPECT_THAT(issue, HasSubstr("`repro.py` makes them"));
  EXPECT_THAT(issue, HasSubstr("```python\nprint(torch.index_select(self, 0, index))\n```"));
}

TEST(IssueText, TheIssueHasAShortSnippet) {
  const std::string text = issue_text(reproduction_of(kStrided, Kind::kValue));
  EXPECT_THAT(text, HasSubstr("self = torch.tensor([1., 4., 2., 5., 3., 6.]).view(3, 2).t()\n"
                              "index = torch.tensor([2, 2])\n"
                              "print(torch.index_select(self, 1, index))\n"));
}

TEST(IssueText, TheDescriptionNamesLayoutAndValues) {
  const std::string text = describe_case(reproduction_of(kStrided, Kind::kValue).c);
  EXPECT_THAT(text, HasSubstr("self: float32 (2, 3), dimensions permuted"));
  EXPECT_THAT(text, HasSubstr("base.view(3, 2).t()"));
  EXPECT_THAT(text, HasSubstr("values  [[3., 3.], [6., 6.]]"));
}

TEST(DescribeCase, AGuestHoldsWhatItsHostHolds) {
  const std::string text = describe_case(
      written("index_copy in-place breaks=source_is_written\nself float32 (3)\nindex int64 (2) "
              "fill=descending\nsource float32 (2) offset=1\n"));
  EXPECT_THAT(text, HasSubstr("storage offset 1 of 3 elements\n"
                              "    in the memory of self, whose elements it holds\n"));
  EXPECT_THAT(text, Not(HasSubstr("[-1., -2.]")));
}

}  // namespace
}  // namespace indexfuzz
