// The programs as tests for pytest and GoogleTest; tests/cli/export_test.cpp runs such files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reproduce/test_names.h"
#include "reproduction_of.h"

namespace indexfuzz {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

TEST(TestFiles, AreNamedAfterOperatorImplementationAndWhatIsChecked) {
  Reproduction r = reproduction_of(kStrided, Kind::kValue);
  EXPECT_EQ(pytest_name(r), "test_index_select_aten_cpu_wrong_elements");
  EXPECT_EQ(gtest_name(r).suite, "IndexSelect");
  EXPECT_EQ(gtest_name(r).test, "AtenCpuWrongElements");
  r.verdict = {};
  EXPECT_EQ(gtest_name(r).test, "AtenCpuTheResultIsRight");
  r = reproduction_of(
      "indexfuzz case 1\nindex_select out\nself float32 (2)\nindex int64 (1) fill=last\nout "
      "float32 (1)\n",
      Kind::kCrash);
  r.call.implementation = "mine::gäther.out@cuda:1";
  EXPECT_EQ(pytest_name(r), "test_index_select_with_out_mine_g_ther_out_cuda_1_the_process_dies");
  EXPECT_EQ(gtest_name(r).suite, "IndexSelectWithOut");
  EXPECT_EQ(gtest_name(r).test, "MineGTherOutCuda1TheProcessDies");
}

TEST(TestFiles, HaveNamesThatEndWhereAMessageIsLong) {
  Reproduction r = reproduction_of(kStrided, Kind::kMetadata);
  for (int i = 0; i < 20; ++i)
    set_message(r.verdict, r.verdict.message.data() + std::string("and a word "));
  EXPECT_LE(pytest_name(r).size(), 100);
  EXPECT_THAT(pytest_name(r), MatchesRegex("test_index_select_aten_cpu_.*_(and|a|word)"));
}

TEST(TestFiles, PytestRunsTheProgramWhichIsNotRunAsItIsCollected) {
  const std::string text = pytest_file(reproduction_of(kStrided, Kind::kCrash));
  const std::size_t program = text.find("\nif __name__ == \"__main__\":\n    import atexit\n");
  ASSERT_NE(program, std::string::npos) << text;
  const std::size_t test = text.find("\ndef test_index_select_aten_cpu_the_process_dies():\n");
  EXPECT_LT(test, program);
  EXPECT_THAT(text.substr(program), HasSubstr("    actual = torch.index_select(self, 1, index)\n"));
  EXPECT_THAT(text.substr(0, program), HasSubstr("[sys.executable, __file__]"));
}

TEST(TestFiles, PytestHasThePlainCallWhereItShowsTheSame) {
  EXPECT_THAT(
      pytest_file(reproduction_of(
          "indexfuzz case 1\nindex_select functional dim=1\nself float32 (2, 3) order=(1, 0)\n"
          "index int64 (2) fill=last\n",
          Kind::kRefusal)),
      HasSubstr("def test_index_select_aten_cpu_legal_arguments_are_refused_in_plain_pytorch():\n"
                "    import pytest\n\n"
                "    torch = pytest.importorskip(\"torch\")\n"
                "    self = torch.tensor([1., 4., 2., 5., 3., 6.]).view(3, 2).t()\n"
                "    index = torch.tensor([2, 2])\n"
                "    expected = torch.tensor([[3., 3.], [6., 6.]])\n"
                "    actual = torch.index_select(self, 1, index)\n"
                "    torch.testing.assert_close(actual, expected, rtol=0, atol=0, "
                "equal_nan=True)\n"));
}

/// A wrong element of float32 with these bytes instead of 1.
Reproduction with_wrong_element(const std::array<std::byte, 4>& wrong) {
  Reproduction r = reproduction_of(kStrided, Kind::kValue);
  const std::array<std::byte, 4> one{std::byte{0}, std::byte{0}, std::byte{0x80}, std::byte{0x3F}};
  note_element(r.verdict, 0, 4, one.data(), wrong.data());
  return r;
}

TEST(TestFiles, NoPlainCallStandsWhereItMightPassOrEndPytest) {
  const auto expect_plain = [](const Reproduction& r, bool plain) {
    EXPECT_EQ(pytest_file(r).find("_in_plain_pytorch") != std::string::npos, plain)
        << pytest_file(r);
  };
  const std::byte zero{0};
  expect_plain(with_wrong_element({zero, zero, zero, std::byte{0x40}}), true);
  expect_plain(with_wrong_element({zero, zero, std::byte{0x80}, std::byte{0xBF}}), false);
  expect_plain(
      with_wrong_element({std::byte{0xFE}, std::byte{0xFE}, std::byte{0xFE}, std::byte{0xFE}}),
      false);
  for (const Kind kind : {Kind::kCrash, Kind::kHang, Kind::kMemory, Kind::kInput, Kind::kLeak,
                          Kind::kAccept, Kind::kNondeterminism})
    expect_plain(reproduction_of(kStrided, kind), false);
  expect_plain(reproduction_of(kOutOfRange, Kind::kRefusal), false);
  Reproduction r = reproduction_of(kStrided, Kind::kRefusal);
  expect_plain(r, true);
  r.reruns = {3, 10};
  expect_plain(r, false);
  r = reproduction_of(kStrided, Kind::kRefusal);
  r.c.environment.threads = 4;
  expect_plain(r, false);
  r = reproduction_of(kStrided, Kind::kRefusal);
  r.call.custom = true;
  r.call.libraries = {"/mine.so"};
  expect_plain(r, false);
  r = reproduction_of(kStrided, Kind::kRefusal);
  r.before = {{r.c, r.call}};
  expect_plain(r, false);
  r = reproduction_of(kStrided, Kind::kRefusal);
  r.call.device = "cuda:0";
  expect_plain(r, false);
}

TEST(TestFiles, GoogleTestMakesTheCallInAChild) {
  const std::string text = gtest_file(reproduction_of(kStrided, Kind::kValue));
  EXPECT_TRUE(text.starts_with("// g++ -std=c++20 repro_test.cpp -o repro_test $(python3 "));
  EXPECT_THAT(text.substr(0, text.find('\n')), HasSubstr(" -lgtest_main -lgtest "));
  EXPECT_THAT(text, HasSubstr("#include <gtest/gtest.h>\n"));
  EXPECT_THAT(text, HasSubstr("TEST(IndexSelect, AtenCpuWrongElements) {\n"));
  EXPECT_THAT(text, HasSubstr("actual = at::index_select(self, int64_t{1}, index);\n"));
  EXPECT_THAT(text, Not(HasSubstr("int main(")));
  EXPECT_THAT(text, Not(HasSubstr("--gtest_filter")));
}

TEST(TestFiles, ComputeSanitizerRunsThatTestAlone) {
  Reproduction r = reproduction_of(kStrided, Kind::kMemory);
  r.call.device = "cuda:0";
  const std::string text = gtest_file(r);
  EXPECT_THAT(text,
              HasSubstr("\"--gtest_filter=IndexSelect.AtenCpuMemoryIsTouchedThatIsNotItsOwn\""));
  EXPECT_THAT(text, HasSubstr("if (getenv(\"UNDER_SANITIZER\") != nullptr) _exit(code);"));
  EXPECT_THAT(text.substr(0, text.find('\n')), HasSubstr(" -ltorch_cuda "));
}

}  // namespace
}  // namespace indexfuzz
