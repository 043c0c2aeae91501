// What libFuzzer is told of cases, and what it is given to run.

#include "run/coverage/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "../written_case.h"
#include "run/coverage/input_mutator.h"

namespace indexfuzz {
namespace {

using Features = std::set<std::size_t>;

Features counted() {
  Features features;
  const auto counters = feature_counters();
  for (std::size_t i = 0; i < counters.size(); ++i) {
    if (counters[i] != 0) features.insert(i);
  }
  std::ranges::fill(counters, std::uint8_t{0});
  return features;
}

Features features_of(const Case& c) {
  count_features(c);
  return counted();
}
Features features_of(std::string_view body) {
  return features_of(written(body));
}

Features outcome_features(const Case& c, const CallOutcome& call) {
  count_outcomes(c, {&call, 1});
  return counted();
}

constexpr const char* kPlain =
    "gather functional\nself float32 (5, 6)\nindex int64 (2, 6) fill=first\n";

TEST(Features, EachTraitHasOne) {
  const Features plain = features_of(kPlain);
  EXPECT_EQ(features_of(kPlain), plain);
  std::set<Features> all{plain};
  for (const char* other : {
           "gather functional\nself float64 (5, 6)\nindex int64 (2, 6) fill=first\n",
           "gather functional\nself float32 (5, 6)\nindex int32 (2, 6) fill=first\n",
           "gather functional\nself float32 (5, 6) offset=3\nindex int64 (2, 6) fill=first\n",
           "gather functional\nself float32 (5, 6) order=(1, 0)\nindex int64 (2, 6) fill=first\n",
           "gather functional\nself float32 (5, 6) order=(1, 0) offset=3\nindex int64 (2, 6) "
           "fill=first\n",
           "gather functional\nself float32 (5, 6)\nindex int64 (2, 6) expanded=(1) repeats=(1) "
           "fill=first\n",
           "gather functional\nself float32 (5, 6) expanded=(0) repeats=(0)\nindex int64 (2, 6) "
           "fill=first\n",
           "gather functional\nself float32 (5, 7)\nindex int64 (2, 6) fill=first\n",
           "gather functional\nself float32 (5, 6)\nindex int64 (2, 6) fill=random1\n",
           "gather functional dim=1\nself float32 (5, 6)\nindex int64 (2, 6) fill=first\n",
           "gather functional breaks=index_above\nself float32 (5, 6)\nindex int64 (2, 6) "
           "fill=first\n",
           "gather out\nself float32 (5, 6)\nindex int64 (2, 6) fill=first\nout float32 (2, 6)\n",
           "index_select functional\nself float32 (5, 6)\nindex int64 (2) fill=first\n",
       }) {
    const Features features = features_of(other);
    Features fresh;
    std::ranges::set_difference(features, plain, std::inserter(fresh, fresh.end()));
    EXPECT_FALSE(fresh.empty()) << other;
    EXPECT_TRUE(all.insert(features).second) << other;
  }
}

TEST(Features, OutcomesHaveTheirs) {
  const Case c = written(kPlain);
  const CallOutcome agreed{0, Outcome::kReturned, Status::kAgreed, Kind::kValue, 0};
  CallOutcome refused = agreed, other_message = agreed, other_implementation = agreed;
  refused.outcome = other_message.outcome = Outcome::kRefused;
  other_message.error_class = 77;
  other_implementation.implementation = 3;
  std::set<Features> all;
  for (const CallOutcome& call : {agreed, refused, other_message, other_implementation})
    EXPECT_TRUE(all.insert(outcome_features(c, call)).second);
}

TEST(Features, ACaseHasFewAndAnOperatorNotTooMany) {
  const auto targets = all_targets();
  std::map<std::uint16_t, Features> all;
  Case c;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    draw_case(1, 0, i, targets, {}, c);
    const Features features = features_of(c);
    ASSERT_LT(features.size(), 200u) << to_text(c);
    ASSERT_GT(features.size(), 5u) << to_text(c);
    all[c.op].insert(features.begin(), features.end());
  }
  for (const auto& [op, features] : all)
    EXPECT_LT(features.size(), kFeatures * 3 / 4) << find_operator(op)->name;
}

struct Feeding {
  std::unique_ptr<CasePool> pool = std::make_unique<CasePool>();
  std::unique_ptr<FoundCases> found = std::make_unique<FoundCases>();
  std::vector<Target> targets;
  std::vector<std::byte> data = std::vector<std::byte>(kEncodedBytes);

  Feeding() {
    targets = all_targets();
    std::erase_if(targets, [](const Target& t) { return t.op != find_operator("gather")->number; });
  }
  std::vector<std::byte> encoded(std::uint64_t number) const {
    Case c;
    draw_case(1, 0, number, targets, {}, c);
    c.environment = {};
    std::vector<std::byte> bytes(kEncodedBytes);
    bytes.resize(encode_short(c, bytes.data()));
    return bytes;
  }
};

TEST(InputMutator, GivesThePoolOnceButWhatIsDeadly) {
  Feeding f;
  Pooled pooled;
  for (std::uint64_t i = 0; i < 50; ++i)
    ASSERT_TRUE(add_to_pool(*f.pool, pooled, i % 5 == 4 ? 999 : f.targets[0].op, f.encoded(i)));
  f.pool->entries[7].deadly = 1;
  InputMutator mutator(f.targets, {}, {}, f.pool.get(), f.found.get());
  std::set<std::uint32_t> given;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const std::size_t size = mutator.mutate(f.data, 0, seed);
    const std::uint32_t pooled = mutator.pooled();
    if (pooled == 0) continue;
    EXPECT_TRUE(given.insert(pooled - 1).second);
    EXPECT_TRUE(std::ranges::equal(std::span(f.data).first(size), bytes_of(*f.pool, pooled - 1)));
  }
  EXPECT_EQ(given.size(), 39u);
  EXPECT_FALSE(given.contains(7));
  EXPECT_TRUE(next_found(*f.found).empty());
}

TEST(InputMutator, OffersWhatLibFuzzerKept) {
  Feeding f;
  InputMutator mutator(f.targets, {}, {}, f.pool.get(), f.found.get());
  const auto kept = f.encoded(3);
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    std::ranges::copy(kept, f.data.begin());
    std::size_t size = mutator.mutate(f.data, kept.size(), seed);
    // What it made itself and is to change further is not kept.
    size = mutator.mutate(f.data, size, seed + 100);
  }
  ASSERT_TRUE(std::ranges::equal(next_found(*f.found), kept));
  drop_found(*f.found);
  EXPECT_TRUE(next_found(*f.found).empty());
}

TEST(InputMutator, TriesWhatLibFuzzerKeptInEveryDtype) {
  Feeding f;
  InputMutator mutator(f.targets, {}, {}, f.pool.get(), f.found.get());
  const Case plain =
      written("gather functional\nself float32 (3, 4)\nindex int64 (2, 4) fill=few1\n");
  std::vector<std::byte> kept(kEncodedBytes);
  kept.resize(encode_short(plain, kept.data()));
  std::set<std::pair<Dtype, Dtype>> tried;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    std::ranges::copy(kept, f.data.begin());
    const std::size_t size = mutator.mutate(f.data, kept.size(), seed);
    const Case c = decode(std::span(f.data).first(size));
    tried.insert({c.operands[0].dtype, c.operands[1].dtype});
  }
  EXPECT_EQ(tried.size(), 2u * kDtypeCount);
}

TEST(InputMutator, LeavesOutNeighboursThatNobodyTakes) {
  Feeding f;
  InputMutator mutator(f.targets, {}, {}, f.pool.get(), f.found.get());
  int refused = 0;
  mutator.ask_who_takes([&](const Case& c) {
    refused += c.operands[0].dtype != Dtype::kDouble;
    return c.operands[0].dtype == Dtype::kDouble ? Taken::kNow : Taken::kNever;
  });
  const Case plain =
      written("gather functional\nself float32 (3, 4)\nindex int64 (2, 4) fill=few1\n");
  std::vector<std::byte> kept(kEncodedBytes);
  kept.resize(encode_short(plain, kept.data()));
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    std::ranges::copy(kept, f.data.begin());
    mutator.mutate(f.data, kept.size(), seed);
  }
  // The other forms, both values of sparse_grad and what was kept are of float32 too.
  EXPECT_EQ(refused, 2 * kDtypeCount - 2 + static_cast<int>(f.targets.size()) + 2 + 1);
}

TEST(InputMutator, NeighboursThatAreTakenLaterWait) {
  Feeding f;
  InputMutator mutator(f.targets, {}, {}, f.pool.get(), f.found.get());
  bool is_later = true;
  const auto is_double = [](const Case& c) { return c.operands[0].dtype == Dtype::kDouble; };
  mutator.ask_who_takes([&](const Case& c) {
    return !is_double(c) ? Taken::kNever : is_later ? Taken::kLater : Taken::kNow;
  });
  const Case plain =
      written("gather functional\nself float32 (3, 4)\nindex int64 (2, 4) fill=few1\n");
  std::vector<std::byte> kept(kEncodedBytes);
  kept.resize(encode_short(plain, kept.data()));
  // Its neighbours differ from it in nothing but dtypes and form.
  const auto neighbours = [&] {
    std::set<Dtype> index_dtypes;
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
      std::ranges::copy(kept, f.data.begin());
      const Case c = decode(std::span(f.data).first(mutator.mutate(f.data, kept.size(), seed)));
      if (is_double(c) && c.operands[0].layout == plain.operands[0].layout &&
          c.operands[1].layout == plain.operands[1].layout &&
          c.operands[1].fill == plain.operands[1].fill)
        index_dtypes.insert(c.operands[1].dtype);
    }
    return index_dtypes;
  };
  EXPECT_EQ(neighbours(), std::set<Dtype>{});
  is_later = false;
  EXPECT_EQ(neighbours(), (std::set{Dtype::kInt32, Dtype::kInt64}));
}

TEST(InputMutator, MutantsOfWhatIsTakenLaterWait) {
  Feeding f;
  InputMutator mutator(f.targets, {}, {}, f.pool.get(), f.found.get());
  bool is_later = true;
  int now = 0;
  mutator.ask_who_takes([&](const Case& c) {
    if (is_later) return Taken::kLater;
    now += c.operands[0].shape != Dims{3, 4} || c.operands[0].layout.offset != 0;
    return Taken::kNow;
  });
  const Case plain =
      written("gather functional\nself float32 (3, 4)\nindex int64 (2, 4) fill=few1\n");
  std::vector<std::byte> kept(kEncodedBytes);
  kept.resize(encode_short(plain, kept.data()));
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    is_later = seed < 1000;
    std::ranges::copy(kept, f.data.begin());
    mutator.mutate(f.data, kept.size(), seed);
  }
  EXPECT_GT(now, 8);
}

TEST(InputMutator, MakesLegalCasesOfItsOperatorFromAnyBytes) {
  Feeding f;
  InputMutator mutator(f.targets, {}, {4, Capability::kDefault}, nullptr, nullptr);
  Choices choices(1);
  std::vector<std::byte> other(kEncodedBytes), result(kEncodedBytes);
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    std::size_t size = choices.below(kEncodedBytes);
    for (std::byte& byte : f.data) byte = static_cast<std::byte>(choices.bits(8));
    if (choices.one_in(2)) {
      size = mutator.mutate(f.data, size, seed);
    } else {
      const auto theirs = f.encoded(seed);
      size = mutator.cross_over(std::span(f.data).first(size), theirs, result, seed);
      if (size == 0) continue;
      f.data = result;
    }
    ASSERT_GT(size, 0u);
    const Case c = decode(std::span(f.data).first(size));
    ASSERT_EQ(why_illegal(c), "") << to_text(c);
    ASSERT_EQ(c.op, f.targets[0].op);
    ASSERT_EQ(c.environment, Environment{});
    const Case* made = mutator.made(std::span(f.data).first(size));
    ASSERT_NE(made, nullptr);
    ASSERT_EQ(*made, c);
    ASSERT_EQ(mutator.made(std::span(f.data).first(size - 1)), nullptr);
  }
}

}  // namespace
}  // namespace indexfuzz
