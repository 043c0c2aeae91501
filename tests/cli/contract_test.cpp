// Campaigns under a contract, through the public command line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "command.h"

namespace indexfuzz {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string contract_of(const std::string& kernel) {
  return catalogued(kernel).contract;
}

TEST(Contract, SaysWhatHeldAndWhatWasNeverMet) {
  const Scratch scratch;
  const std::string kernel = "correct::index_select_rows";
  const std::string file = scratch.write("c.toml", contract_of(kernel));
  const Ended ended = run(fuzz_one("index_select", kernel, scratch / "o",
                                   {"--contract", file, "--seed", "1", "--cases", "20000"}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr(kernel + "[block=2]"), HasSubstr(kernel + "[block=3]"),
                               HasSubstr("held on "), HasSubstr("self is 2-dimensional")));
  const auto summary = read_json(scratch / "o/summary.json");
  const auto pair = summary.at("implementations").at(kernel + "[block=2]").at("index_select");
  EXPECT_GT(pair.at("agreed").get<int>(), 5000);
  EXPECT_GT(pair.at("refused").get<int>(), 100);  // indices out of range
  const std::vector<std::string> held = pair.at("held_traits"), never = pair.at("never_met");
  EXPECT_THAT(held, Contains("self is 2-dimensional"));
  EXPECT_THAT(held, Not(Contains("self is float16")));
  EXPECT_THAT(never, AllOf(Contains("self is float16"), Contains("self is 3-dimensional"),
                           Contains("dim > 0")));
  EXPECT_EQ(read_text(scratch / "o/contract.toml"), contract_of(kernel));
}

TEST(Contract, GivesListsToAKernelThatLacksThem) {
  const Scratch scratch;
  const auto campaign = [&](const std::string& kernel) {
    const std::string file = scratch.write("c.toml", contract_of(kernel));
    return run(fuzz_one("im2col", kernel, scratch / "o",
                        {"--contract", file, "--seed", "1", "--cases", "3000"}));
  };
  EXPECT_EQ(campaign("planted::im2col_2x3_exchanged").code, 77);
  const Ended right = campaign("correct::im2col_2x3");
  EXPECT_EQ(right.code, 0) << right.err;
  const auto pair = read_json(scratch / "o/summary.json")
                        .at("implementations")
                        .at("correct::im2col_2x3")
                        .at("im2col");
  EXPECT_GT(pair.at("agreed").get<int>(), 1500);
}

TEST(Contract, AKernelMayLackListsThatHaveDefaults) {
  const Scratch scratch;
  const std::string kernel = "correct::max_pool2d_with_indices_plain";
  const Ended ended = run(fuzz_one("max_pool2d_with_indices", kernel, scratch / "o",
                                   {"--seed", "1", "--cases", "3000"}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto pair = read_json(scratch / "o/summary.json")
                        .at("implementations")
                        .at(kernel)
                        .at("max_pool2d_with_indices");
  EXPECT_GT(pair.at("agreed").get<int>(), 100);
}

TEST(Contract, WhatItLeavesOutMustBeRefusedIfItSaysSo) {
  const Scratch scratch;
  const std::string kernel = "planted::index_select_rows_takes_permuted";
  const std::string file = scratch.write("c.toml", contract_of(kernel));
  Arguments fuzz =
      fuzz_one("index_select", kernel, scratch / "o",
               {"--contract", file, "--seed", "1", "--time", "30s", "--max-findings", "1"});
  std::erase(fuzz, "--no-verify");
  EXPECT_EQ(run(fuzz).code, 77);
  const auto findings = read_json(scratch / "o/summary.json").at("findings");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].at("kind"), "accept");
  EXPECT_NE(findings[0].at("repro_py_verified"), false);
  EXPECT_EQ(findings[0].at("repro_cpp_verified"), true);
  const std::string folder = scratch / ("o/findings/" + findings[0].at("id").get<std::string>());
  EXPECT_THAT(read_text(folder + "/issue.md"),
              HasSubstr("its contract leaves out the strides of self"));
  const auto replayed_under = [&](const std::string& contract) {
    return run({"replay", folder + "/minimal.case", "--load", planted_library(), "--impl", kernel,
                "--contract", contract, "--no-ledger"});
  };
  const Ended replayed = replayed_under(file);
  EXPECT_EQ(replayed.code, 77);
  EXPECT_THAT(replayed.out, HasSubstr(": accept, \"its contract leaves out the strides of self\""));
  // A kernel that need not refuse the case is not called with it.
  std::string milder = contract_of(kernel);
  milder.replace(milder.find("must-refuse"), std::string("must-refuse").size(), "skip");
  EXPECT_THAT(replayed_under(scratch.write("d.toml", milder)).out, HasSubstr("1 skipped"));
}

TEST(Contract, GivesValuesToArgumentsThatAKernelLacksOrAdds) {
  const Scratch scratch;
  const std::string kernel = "correct::index_select_rows";
  const auto fuzz = [&](const Arguments& more) {
    return run(fuzz_one("index_select", kernel, scratch / "o", more));
  };
  const std::string without_dim = scratch.write("d.toml", "block = 2\n");
  EXPECT_THAT(fuzz({"--contract", without_dim, "--cases", "10"}).err,
              AllOf(HasSubstr("does not fit index_select"), HasSubstr("or a value in a contract")));
  const std::string misspelt = scratch.write("m.toml", "dim = 0\nblock = 2\nblok = 3\n");
  EXPECT_THAT(
      fuzz({"--contract", misspelt, "--cases", "10"}).err,
      AllOf(HasSubstr("the contract gives `blok` a value"), HasSubstr("did you mean block?")));
}

TEST(Contract, WhatCannotBeReadOrAppliedIsSaidInOneSentence) {
  const Scratch scratch;
  const auto error = [&](const std::string& text, const std::string& kernel) {
    const std::string file = scratch.write("c.toml", text);
    const Ended ended =
        run(fuzz_one("gather", kernel, scratch / "o", {"--contract", file, "--cases", "10"}));
    EXPECT_EQ(ended.code, 1) << ended.err;
    return ended.err;
  };
  EXPECT_THAT(error("[self]\nrank = 'two'\n", "planted::gather_past_output"),
              HasSubstr("c.toml:2:8: `rank` takes a number"));
  EXPECT_THAT(error("dim = 0\n", "aten:cpu"),
              HasSubstr("none is under test: name one with --impl"));
  EXPECT_THAT(error("dim = 0\n", "gradient:planted::gather_gradient_contiguous"),
              HasSubstr("a contract speaks of a kernel's own arguments"));
  EXPECT_THAT(error("[self]\nrank = 2\n[index]\nrank = 1\nsize = { least = 1 }\n",
                    "planted::gather_past_output"),
              HasSubstr("the contract leaves nothing to call the kernel with: gather does not keep "
                        "its term about the rank of "));
  const Ended missing = run(fuzz_one("gather", "planted::gather_past_output", scratch / "o",
                                     {"--contract", scratch / "none.toml"}));
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("none.toml does not exist"));
}

}  // namespace
}  // namespace indexfuzz
