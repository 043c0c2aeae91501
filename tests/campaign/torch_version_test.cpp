#include "campaign/store/torch_version.h"

#include <gtest/gtest.h>

#include <iterator>

namespace indexfuzz {
namespace {

TEST(TorchVersion, OneIsOlderThanAnother) {
  const char* const by_age[] = {"2.7.1",
                                "2.9.0.dev20250901+cu130",
                                "2.9.0.dev20250902",
                                "2.9.0a0+git12",
                                "2.9.0b1",
                                "2.9.0rc2",
                                "2.9.0rc10",
                                "2.9.0+cu126",
                                "2.9.1",
                                "2.10.0",
                                "3.0"};
  for (std::size_t i = 0; i < std::size(by_age); ++i) {
    for (std::size_t k = 0; k < std::size(by_age); ++k)
      EXPECT_EQ(is_older(by_age[i], by_age[k]), i < k) << by_age[i] << " " << by_age[k];
  }
}

TEST(TorchVersion, BuildsOfOneVersionAreOfTheSameAge) {
  EXPECT_FALSE(is_older("2.9.0", "2.9.0+cu126"));
  EXPECT_FALSE(is_older("2.9.0+cu130", "2.9.0+cu126"));
  EXPECT_FALSE(is_older("2.9", "2.9.0"));
  EXPECT_FALSE(is_older("no version", "2.9.0"));
}

}  // namespace
}  // namespace indexfuzz
