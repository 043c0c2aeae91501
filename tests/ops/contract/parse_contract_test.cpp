// How contracts are read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "contract_of.h"
#include "indexfuzz_config.h"

namespace indexfuzz {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(ContractText, ReadsEveryTerm) {
  const Contract contract = contract_of(R"(
    outside = "must-refuse"
    dim = [0, -1]
    reduce = "sum"
    block = 128
    scale = 0.5
    workspace = { zeros = [2, 8], dtype = "float32" }
    [self]
    dtypes = ["float16", "float32"]
    rank = [1, 3]
    size = { least = 2 }
    last_size = { most = 64, multiple_of = 4 }
    elements = 16
    strides = "rows"
    expanded = false
    overlapping = false
    alignment = 16
    [index]
    negative = false
    duplicates = false
  )");
  EXPECT_TRUE(contract.must_refuse);
  ASSERT_EQ(contract.tensors.size(), 2);
  const bool index_first = contract.tensors[0].argument == "index";
  const TensorTerms& self = contract.tensors[index_first ? 1 : 0];
  EXPECT_EQ(self.argument, "self");
  EXPECT_EQ(self.dtypes, set_of(Dtype::kHalf) | set_of(Dtype::kFloat));
  EXPECT_EQ(self.rank, (Range{1, 3, 1}));
  EXPECT_EQ(self.size, (Range{2, Range{}.most, 1}));
  EXPECT_EQ(self.last_size, (Range{0, 64, 4}));
  EXPECT_EQ(self.elements, (Range{16, 16, 1}));
  EXPECT_EQ(self.strides, Strides::kRows);
  EXPECT_FALSE(self.expanded);
  EXPECT_FALSE(self.overlapping);
  EXPECT_EQ(self.alignment, 16);
  const TensorTerms& index = contract.tensors[index_first ? 0 : 1];
  EXPECT_FALSE(index.negative);
  EXPECT_FALSE(index.duplicates);
  ASSERT_EQ(contract.values.size(), 5);
  for (const ValueTerms& terms : contract.values) {
    if (terms.argument == "dim") {
      EXPECT_EQ(terms.values, (std::vector<ArgumentValue>{std::int64_t{0}, std::int64_t{-1}}));
    } else if (terms.argument == "block") {
      EXPECT_EQ(terms.values, std::vector<ArgumentValue>{std::int64_t{128}});
    } else if (terms.argument == "workspace") {
      EXPECT_EQ(terms.values, (std::vector<ArgumentValue>{Zeros{Dtype::kFloat, {2, 8}}}));
    } else if (terms.argument == "scale") {
      EXPECT_EQ(terms.values, std::vector<ArgumentValue>{0.5});
    } else {
      EXPECT_EQ(terms.values, std::vector<ArgumentValue>{std::string("sum")});
    }
  }
}

TEST(ContractText, ReadsLists) {
  const auto values = [](std::string_view text) { return contract_of(text).values.at(0).values; };
  EXPECT_EQ(values("kernel_size = [3, 2]"), (std::vector<ArgumentValue>{Integers{3, 2}}));
  EXPECT_EQ(values("kernel_size = [[3, 3], [2, 2]]"),
            (std::vector<ArgumentValue>{Integers{3, 3}, Integers{2, 2}}));
  EXPECT_EQ(values("padding = [0, 1]"), (std::vector<ArgumentValue>{Integers{0, 1}}));
  EXPECT_EQ(values("kernel_size = 3"), (std::vector<ArgumentValue>{std::int64_t{3}}));
  EXPECT_EQ(values("dims = []"), (std::vector<ArgumentValue>{Integers{}}));
  // No argument of ATen's.
  EXPECT_EQ(values("tile = [[8, 4], [16, 2]]"),
            (std::vector<ArgumentValue>{Integers{8, 4}, Integers{16, 2}}));
  EXPECT_EQ(values("tile = [8, 4]"),
            (std::vector<ArgumentValue>{std::int64_t{8}, std::int64_t{4}}));
}

TEST(ContractText, TheExplainedExampleIsOne) {
  std::ifstream file(std::string(config::kSourceDir) + "/corpus/contract.toml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Contract contract = contract_of(text);
  EXPECT_EQ(contract.tensors.size(), 2);
  EXPECT_EQ(contract.values.size(), 3);
}

TEST(ContractText, SaysWhatIsWrongWhereAndWhatIsExpected) {
  const std::pair<const char*, const char*> wrong[] = {
      {"dim = ", "c.toml:1:"},
      {"outside = 'ignore'", "`outside` is \"skip\" or \"must-refuse\""},
      {"[slef]", "no operator under test has a tensor argument `slef`; did you mean self?"},
      {"[self]\ndtype = ['float32']", "no term `dtype`; did you mean dtypes?"},
      {"[self]\ndtypes = []", "takes a list"},
      {"[self]\ndtypes = ['float33']", "there is no dtype `float33`; did you mean float32?"},
      {"[self]\nrank = [3, 1]", "`rank` leaves no number"},
      {"[self]\nrank = -1", "numbers from 0 to "},
      {"[self]\nsize = { least = 5, most = 7, multiple_of = 4 }", "`size` leaves no number"},
      {"[self]\nsize = { multiple_of = 0 }", "`size` leaves no number"},
      {"[self]\nsize = { lest = 5 }", "no part `lest`; did you mean least?"},
      {"[self]\nstrides = 'contigous'", "one of any, rows, dense, contiguous"},
      {"[self]\nalignment = 24", "a power of two, at most 64"},
      {"[self]\nexpanded = 1", "`expanded` is true or false"},
      {"self = 1", "self is a tensor; say what the kernel takes in a table [self]"},
      {"reduce = 'plus'", "a contract cannot demand 'plus' as reduce"},
      {"dim = []", "a list holds 1 to 16 values"},
      {"block = nan", "finite numbers"},
      {"block = 'a\"b'", "strings without quotes"},
      {"dims = [['a']]", "an argument takes"},
      {"kernel_size = [1, 2, 3, 4, 5]", "a contract cannot demand [1, 2, 3, 4, 5] as kernel_size"},
      {"work = { zeros = 8 }", "a workspace is { zeros = [1024], dtype = \"uint8\" }"},
      {"work = { zeros = [8], dtype = 'byte' }", "there is no dtype `byte`"},
      {"work = { zeros = [1000000000, 1000000000] }", "a workspace has at most 67108864 bytes"},
      {"self = { zeros = [8] }", "self is a tensor; say what the kernel takes"},
  };
  for (const auto& [text, expected] : wrong) {
    const std::string error = parse(text).error;
    EXPECT_THAT(error, HasSubstr(expected)) << text;
    EXPECT_THAT(error, StartsWith("c.toml:")) << text;
  }
  EXPECT_THAT(parse("[self]\nrank = 2\ndtype = 3\n").error, StartsWith("c.toml:3:"));
}

}  // namespace
}  // namespace indexfuzz
