// Contracts: how they are read, which cases they hold, and how cases are brought into them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "draw/draw.h"
#include "indexfuzz_config.h"
#include "ops/contract/keeps.h"
#include "ops/contract/loosen.h"
#include "ops/contract/parse_contract.h"
#include "ops/repair/narrow.h"
#include "ops/repair/other_calls.h"
#include "ops/repair/repair.h"
#include "ops/text/case_text.h"

namespace indexfuzz {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

ParsedContract parse(std::string_view text) {
  return parse_contract(text, "c.toml", operators());
}

Contract contract_of(std::string_view text) {
  const ParsedContract parsed = parse(text);
  EXPECT_EQ(parsed.error, "") << text;
  return parsed.contract;
}

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
      {"dims = [[0]]", "an argument takes"},
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

TEST(Range, HasANearNumberForEach) {
  EXPECT_EQ(nearest(Range{1, 3, 1}, 0), 1);
  EXPECT_EQ(nearest(Range{1, 3, 1}, 7), 3);
  const Range fours{.multiple_of = 4};
  EXPECT_EQ(nearest(fours, 0), 0);
  EXPECT_EQ(nearest(fours, 1), 4);  // not 0: most tensors would be empty
  EXPECT_EQ(nearest(fours, 11), 8);
  EXPECT_EQ(nearest(Range{5, 9, 4}, 5), 8);
  EXPECT_EQ(nearest(Range{0, 3, 4}, 2), 0);
}

TEST(Keeps, SeesEachTerm) {
  const Case plain = plainest_case(find_operator("gather")->number, 0, Variant::kFunctional);
  Case c = plain;
  c.attributes[0] = 1;
  c.operands[0].shape = c.operands[1].shape = {2, 4};
  for (Operand& operand : c.operands) operand.layout = contiguous_layout(2);
  c.operands[1].fill.kind = FillKind::kAscending;
  repair(c, {});
  const auto broken = [&](std::string_view text, auto change) {
    Case changed = c;
    change(changed);
    const Contract contract = contract_of(text);
    EXPECT_TRUE(keeps(contract, c)) << text;
    const auto breach = first_breach(contract, changed);
    return breach ? describe(*breach, changed) : "nothing";
  };
  EXPECT_EQ(
      broken("[self]\ndtypes=['float32']", [](Case& k) { k.operands[0].dtype = Dtype::kHalf; }),
      "dtypes of self");
  EXPECT_EQ(broken("[self]\nrank=2", [](Case& k) { insert_dimension(k.operands[0], 0, 1); }),
            "rank of self");
  EXPECT_EQ(broken("[index]\nsize=[2,4]", [](Case& k) { k.operands[1].shape[0] = 1; }),
            "size of index");
  EXPECT_EQ(
      broken("[self]\nlast_size={multiple_of=4}", [](Case& k) { k.operands[0].shape[1] = 6; }),
      "last_size of self");
  EXPECT_EQ(broken("[self]\nelements=[1,8]", [](Case& k) { k.operands[0].shape[0] = 3; }),
            "elements of self");
  const auto transpose = [](Case& k) {
    std::swap(k.operands[0].layout.order[0], k.operands[0].layout.order[1]);
  };
  EXPECT_EQ(broken("[self]\nstrides='contiguous'", transpose), "strides of self");
  EXPECT_EQ(broken("[self]\nstrides='rows'", transpose), "strides of self");
  EXPECT_EQ(broken("[self]\nstrides='dense'", transpose), "nothing");
  const auto step = [](Case& k) { k.operands[0].layout.dims[0].step = 2; };
  EXPECT_EQ(broken("[self]\nstrides='dense'", step), "strides of self");
  EXPECT_EQ(broken("[self]\nstrides='rows'", step), "nothing");
  EXPECT_EQ(
      broken("[self]\nstrides='contiguous'", [](Case& k) { k.operands[0].layout.offset = 3; }),
      "nothing");
  const auto expand = [](Case& k) { k.operands[0].layout.dims[0].expanded = true; };
  EXPECT_EQ(broken("[self]\nexpanded=false", expand), "expanded of self");
  EXPECT_EQ(broken("[self]\noverlapping=false",
                   [](Case& k) { k.operands[0].layout.dims[0].slides = true; }),
            "overlapping of self");
  EXPECT_EQ(broken("[self]\nalignment=16", [](Case& k) { k.operands[0].layout.offset = 2; }),
            "alignment of self");
  EXPECT_EQ(broken("[self]\nalignment=16", [](Case& k) { k.operands[0].guard = Guard::kRight; }),
            "alignment of self");
  EXPECT_EQ(broken("[index]\nnegative=false",
                   [](Case& k) { k.operands[1].fill.negatives = Negatives::kSome; }),
            "negative of index");
  EXPECT_EQ(broken("dim=1", [](Case& k) { k.attributes[0] = 0; }), "dim");
  EXPECT_EQ(broken("dim=1", [](Case& k) { k.attributes[0] = -1; }), "dim");
  const auto far = [](Case& k) { k.operands[0].slices = SlicePlacement::kApartBy2To31; };
  EXPECT_EQ(broken("[self]\nstrides='rows'", far), "nothing");
  EXPECT_EQ(broken("[self]\nstrides='dense'", far), "strides of self");
}

TEST(Narrow, TermsThatNoMemoryHoldsAreNotKept) {
  for (const std::string_view text :
       {"[self]\nsize = { least = 128 }", "[self]\nlast_size = { least = 1099511627776 }"}) {
    const Contract contract = contract_of(text);
    Case c = plainest_case(find_operator("index_select")->number, 0, Variant::kFunctional);
    c.operands[0].shape = Dims(10, 1);
    c.operands[0].layout = contiguous_layout(10);
    narrow(contract, c);
    EXPECT_GT(numel(c.operands[0].shape), 0) << text;
    repair(c, {});
    EXPECT_FALSE(keeps(contract, c)) << text;
  }
}

TEST(Keeps, TakesADuplicateIndexForOne) {
  const Contract contract = contract_of("[index]\nduplicates=false");
  Case c = plainest_case(find_operator("index_select")->number, 0, Variant::kFunctional);
  c.operands[0].shape = {4};
  c.operands[1].shape = {4};
  c.operands[1].fill.kind = FillKind::kDistinct1;
  repair(c, {});
  EXPECT_TRUE(keeps(contract, c));
  c.operands[1].shape = {5};
  EXPECT_FALSE(keeps(contract, c));
  c.operands[1].shape = {2};
  c.operands[1].fill.kind = FillKind::kFirst;
  EXPECT_FALSE(keeps(contract, c));
  c.operands[1].shape = {1};
  EXPECT_TRUE(keeps(contract, c));
}

TEST(Keeps, TakesAnIndexInTwoPlacesForADuplicate) {
  const Contract contract = contract_of("[index]\nduplicates=false");
  Case c = plainest_case(find_operator("put")->number, 0, Variant::kFunctional);
  c.operands[0].shape = {9};
  c.operands[1].shape = c.operands[2].shape = {2, 2};
  for (Operand& operand : c.operands)
    operand.layout = contiguous_layout(static_cast<int>(operand.shape.size()));
  c.operands[1].fill.kind = FillKind::kAscending;
  repair(c, {});
  EXPECT_TRUE(keeps(contract, c));
  // Both rows hold the second index.
  c.operands[1].layout.dims[0].slides = true;
  repair(c, {});
  ASSERT_TRUE(c.operands[1].layout.dims[0].slides);
  EXPECT_FALSE(keeps(contract, c));
  Limits limits;
  limits.contract = &contract;
  repair(c, limits);
  EXPECT_TRUE(keeps(contract, c));
}

TEST(SureBreach, LeavesOutWhatMayBeKeptByChance) {
  Case c = plainest_case(find_operator("gather")->number, 0, Variant::kFunctional);
  c.operands[0].shape = c.operands[1].shape = {2, 4};
  for (Operand& operand : c.operands) operand.layout = contiguous_layout(2);
  repair(c, {});
  const auto is_sure = [&](std::string_view text) {
    return sure_breach(contract_of(text), c).has_value();
  };
  EXPECT_TRUE(is_sure("[self]\nrank=1"));
  EXPECT_FALSE(is_sure("[index]\nduplicates=false"));
  c.operands[1].fill.negatives = Negatives::kSome;
  EXPECT_FALSE(is_sure("[index]\nnegative=false"));
  c.operands[1].fill.negatives = Negatives::kAll;
  EXPECT_TRUE(is_sure("[index]\nnegative=false"));
  c.operands[0].layout.offset = 1;
  EXPECT_TRUE(is_sure("[self]\nalignment=16"));
  c.operands[0].guard = Guard::kRight;
  EXPECT_FALSE(is_sure("[self]\nalignment=16"));
  c.attributes[0] = -2;  // dimension 0 of two
  EXPECT_FALSE(is_sure("dim=0"));
  EXPECT_TRUE(is_sure("dim=1"));
  // PyTorch calls a tensor contiguous whatever the stride of a dimension of size 1.
  c.operands[0].shape[0] = 1;
  c.operands[0].layout.dims[0].step = 3;
  EXPECT_FALSE(is_sure("[self]\nstrides='contiguous'"));
}

TEST(SureBreach, OfDuplicatesIsADuplicate) {
  const Contract contract = contract_of("[index]\nduplicates=false");
  Case c = plainest_case(find_operator("index_select")->number, 0, Variant::kFunctional);
  c.operands[0].shape = {4};
  c.operands[1].shape = {5};
  repair(c, {});
  EXPECT_TRUE(sure_breach(contract, c));
  c.operands[1].shape = {2};
  c.operands[1].fill.kind = FillKind::kAscending;
  repair(c, {});
  EXPECT_FALSE(sure_breach(contract, c));
  c.operands[1].fill.kind = FillKind::kFirst;
  c.operands[1].fill.negatives = Negatives::kSome;
  EXPECT_TRUE(sure_breach(contract, c));
}

TEST(KeepsWhenApplied, ABrokenRuleMayBreakMoreOfAContractThatMustRefuse) {
  Case c = plainest_case(find_operator("index_select")->number, 0, Variant::kFunctional);
  c.operands[0].shape = {4};
  repair(c, {});
  const auto rules = operator_of(c).rules;
  c.breaks = std::ranges::find(rules, "index_below", &IllegalRule::name)->number;
  EXPECT_FALSE(keeps_when_applied(contract_of("[index]\nnegative=false"), c));
  EXPECT_TRUE(keeps_when_applied(contract_of("outside='must-refuse'\n[index]\nnegative=false"), c));
}

constexpr const char* kContracts[] = {
    "[self]\nstrides='contiguous'\ndtypes=['float32','bfloat16']\nrank=[1,2]\n",
    "[self]\nstrides='rows'\nexpanded=false\noverlapping=false\nsize=[1,64]\n",
    "[self]\nlast_size={least=4,multiple_of=4}\nalignment=16\nelements=[1,4096]\n",
    "[index]\ndtypes=['int64']\nnegative=false\nstrides='contiguous'\n",
    "dim=0\n[index]\nduplicates=false\n",
    "[indices]\ndtypes=['int64']\nrank=1\nnegative=false\n",
    "[mask]\ndtypes=['bool']\nstrides='dense'\n[self]\nrank=[1,4]\n",
};

TEST(Draw, StaysWithinAContract) {
  for (const char* const text : kContracts) {
    const Contract contract = contract_of(text);
    Limits limits;
    limits.contract = &contract;
    std::map<std::string, std::pair<int, int>> kept_of;  // by operator: kept and all
    for (std::uint64_t number = 0; number < 40'000; ++number) {
      Case c;
      draw_case(1, 0, number, all_targets(), limits, c);
      auto& [kept, all] = kept_of[std::string(operator_of(c).name)];
      kept += keeps_when_applied(contract, c);
      ++all;
      Case again = c;
      repair(again, {});
      EXPECT_EQ(again, c) << "not legal: " << to_text(c);
    }
    // Some operators have no legal case within some contract: padding takes no tensor of rank 1.
    for (const auto& [op, count] : kept_of) {
      EXPECT_TRUE(count.first == 0 || count.first > count.second * 95 / 100)
          << op << ": " << count.first << " of " << count.second << " under\n"
          << text;
    }
  }
}

TEST(Draw, ReachesCasesJustOutsideAContractThatMustRefuseThem) {
  const Contract contract = contract_of(
      "outside='must-refuse'\n[self]\nstrides='contiguous'\nrank=2\ndtypes=['float32']\n");
  Limits limits;
  limits.contract = &contract;
  const OperatorInfo& op = *find_operator("index_select");
  int strides = 0, ranks = 0, dtypes = 0, inside = 0;
  for (std::uint64_t number = 0; number < 20'000; ++number) {
    Case c;
    draw_case(1, 0, number, targets_of(op), limits, c);
    const auto breach = sure_breach(contract, c);
    inside += keeps(contract, c);
    if (!breach) continue;
    strides += breach->term == "strides";
    ranks += breach->term == "rank";
    dtypes += breach->term == "dtypes";
  }
  EXPECT_GT(inside, 15'000);
  for (const int count : {strides, ranks, dtypes}) EXPECT_GT(count, 100);
}

TEST(Draw, ReachesValuesAndPlacesOutsideAContract) {
  const Contract contract = contract_of(
      "outside='must-refuse'\n[self]\nalignment=16\n[index]\nduplicates=false\nnegative=false\n");
  Limits limits;
  limits.contract = &contract;
  int alignments = 0, duplicates = 0, negatives = 0;
  for (std::uint64_t number = 0; number < 20'000; ++number) {
    Case c;
    draw_case(1, 0, number, targets_of(*find_operator("index_copy")), limits, c);
    const auto breach = c.breaks == 0 ? sure_breach(contract, c) : std::nullopt;
    alignments += breach && breach->term == "alignment";
    duplicates += breach && breach->term == "duplicates";
    negatives += c.breaks != 0 && rule_of(c)->name == "index_below";
  }
  for (const int count : {alignments, duplicates, negatives}) EXPECT_GT(count, 20);
}

TEST(Narrow, ChangesNothingThatIsKept) {
  for (const char* const text : kContracts) {
    const Contract contract = contract_of(text);
    for (std::uint64_t number = 0; number < 2000; ++number) {
      Case c;
      draw_case(3, 0, number, all_targets(), {}, c);
      if (!keeps(contract, c)) continue;
      Case narrowed = c;
      narrow(contract, narrowed);
      repair(narrowed, {});
      EXPECT_EQ(narrowed, c) << text << to_text(c);
    }
  }
}

TEST(Loosened, DropsOneTerm) {
  const Contract contract = contract_of("dim=0\n[self]\nrank=2\nstrides='contiguous'\n");
  int rank = 0, strides = 0, values = 0;
  for (std::uint32_t number = 0; number < 3; ++number) {
    const Contract loose = loosened(contract, number);
    rank += loose.tensors[0].rank == Range{};
    strides += loose.tensors[0].strides == Strides::kAny;
    values += loose.values.empty();
  }
  EXPECT_EQ(rank, 1);
  EXPECT_EQ(strides, 1);
  EXPECT_EQ(values, 1);
}

}  // namespace
}  // namespace indexfuzz
