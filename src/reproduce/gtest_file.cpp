// The stand-alone GoogleTest file: the C++ program as a test.

#include <fmt/format.h>

#include <string_view>

#include "reproduce/cpp_program.h"
#include "reproduce/program_plan.h"
#include "reproduce/reproduction.h"
#include "reproduce/test_names.h"

namespace indexfuzz {
namespace {

/// {0}: the suite; {1}: the test.
constexpr std::string_view kTest = R"code(
// The call is made in a child: it may end its process, and changes settings of all of it.
TEST({0}, {1}) {{
  char* argv[] = {{nullptr}};
  const int code = exit_code(0, argv);
  if (code == 125) GTEST_SKIP() << "cannot tell, as printed above";
  EXPECT_EQ(code, 0) << "the result is wrong, as printed above";
}}
)code";

/// As kTest, for a program that runs itself again under compute-sanitizer.
constexpr std::string_view kTestThatLooksCloser = R"code(
// The call is made in a child: it may end its process, and changes settings of all of it.
TEST({0}, {1}) {{
  char program[4096] = {{}}, only_this[] = "--gtest_filter={0}.{1}";
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) GTEST_SKIP() << "cannot tell who this is";
  char* argv[] = {{program, only_this, nullptr}};
  const int code = exit_code(1, argv);
  if (getenv("UNDER_SANITIZER") != nullptr) _exit(code);  // read by look_closer()
  if (code == 125) GTEST_SKIP() << "cannot tell, as printed above";
  EXPECT_EQ(code, 0) << "the result is wrong, as printed above";
}}
)code";

}  // namespace

std::string gtest_file(const Reproduction& r) {
  const CppProgram program = cpp_parts(r, "exit_code");
  const GtestName name = gtest_name(r);
  const std::string test =
      fmt::format(fmt::runtime(program_plan(r).look_closer ? kTestThatLooksCloser : kTest),
                  name.suite, name.test);
  return how_to_compile(r, "repro_test", " -lgtest_main -lgtest") + program.introduction +
         "// The test passes, fails or is skipped accordingly.\n#include <gtest/gtest.h>\n" +
         program.includes + "namespace {\n" + program.definitions + test + "\n}  // namespace\n";
}

}  // namespace indexfuzz
