// The calls behind which alone the judged one fails, as the programs and the issue text make them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reproduction_of.h"

namespace indexfuzz {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(EarlierCalls, AreMadeFirst) {
  Reproduction r = reproduction_of(kStrided, Kind::kValue);
  const Reproduction other = reproduction_of(kOutOfRange, Kind::kValue);
  r.before = {{r.c, r.call}, {r.c, r.call}, {other.c, other.call}, {r.c, r.call}};
  const std::string python = python_program(r);
  EXPECT_THAT(python, HasSubstr("def earlier_call_0():\n    self_storage = "));
  EXPECT_THAT(python, HasSubstr("try:\n        torch.index_select(self, 0, index)\n    except"));
  EXPECT_THAT(python, HasSubstr("for _ in range(2):\n    earlier_call_0()\n"
                                "earlier_call_1()\nearlier_call_0()\n"));
  // A cache that goes by addresses meets the same ones again.
  EXPECT_THAT(python, HasSubstr("    index_storage = canaries(8, torch.int64, name=\"index\")\n"));
  EXPECT_THAT(python, HasSubstr("\nindex_storage = canaries("));
  EXPECT_THAT(python, HasSubstr("places.setdefault(name, torch.empty("));
  const std::string cpp = cpp_program(r);
  EXPECT_THAT(cpp, HasSubstr("namespace earlier_1 {"));
  EXPECT_THAT(cpp, HasSubstr("i < 2; ++i) earlier_0::call();\n  for (int i = 0; i < 1; ++i) "
                             "earlier_1::call();"));
  EXPECT_THAT(issue_text(r), HasSubstr("for _ in range(2):\n    torch.index_select"));
  EXPECT_THAT(issue_text(r), HasSubstr("try:\n    torch.index_select(self, 0, index)\nexcept"));
}

TEST(EarlierCalls, HaveEachTheirOwnNumberOfThreads) {
  Reproduction r = reproduction_of(kStrided, Kind::kValue);
  r.before = {{r.c, r.call}, {r.c, r.call}};
  EXPECT_THAT(python_program(r), Not(HasSubstr("torch.set_num_threads(1)\nearlier_call")));
  r.c.environment.threads = r.before.back().c.environment.threads = 4;
  EXPECT_THAT(python_program(r), HasSubstr("torch.set_num_threads(1)\nearlier_call_0()\n"
                                           "torch.set_num_threads(4)\nearlier_call_1()\n\n"));
  EXPECT_THAT(cpp_program(r), HasSubstr("earlier_0::call();\n  at::set_num_threads(4);\n"));
  EXPECT_THAT(issue_text(r), HasSubstr("torch.set_num_threads(1)\nself = "));
  r.c.environment.threads = 1;
  EXPECT_THAT(python_program(r), HasSubstr("earlier_call_1()\ntorch.set_num_threads(1)\n"));
}

TEST(EarlierCalls, HaveOperandsOfANameAtOnePlaceBetweenInaccessiblePagesToo) {
  Reproduction r = reproduction_of(kStrided, Kind::kMemory);
  r.before = {{r.c, r.call}};
  const std::string python = python_program(r);
  const std::string self =
      "self_region, self_storage = guarded(24, 0, 24, \"left\", torch.float32, name=\"self\")\n";
  EXPECT_THAT(python, HasSubstr("\n" + self));
  EXPECT_THAT(python, HasSubstr("def earlier_call_0():\n    " + self));
  EXPECT_THAT(python, HasSubstr("regions.get(name) or libc.mmap("));
}

}  // namespace
}  // namespace indexfuzz
