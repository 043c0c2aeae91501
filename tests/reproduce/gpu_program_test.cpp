// The programs of findings on a GPU, and of cases that were made for one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "judge/judge.h"
#include "reproduction_of.h"

namespace indexfuzz {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(GpuProgram, OperandsLieThereAndTheCallIsWaitedFor) {
  Reproduction r = reproduction_of(kStrided, Kind::kValue);
  EXPECT_THAT(cpp_program(r), Not(HasSubstr("cuda")));
  r.call.device = "cuda:1";
  const std::string cpp = cpp_program(r);
  EXPECT_THAT(cpp, HasSubstr("-ltorch_cpu -ltorch_cuda -lc10_cuda -lc10"));
  EXPECT_THAT(cpp, HasSubstr("const at::Device kDevice(\"cuda:1\");"));
  EXPECT_THAT(cpp, HasSubstr(";\n      wait_for_gpu();"));
  EXPECT_THAT(cpp, HasSubstr("actual.device() != kDevice"));
  EXPECT_THAT(python_program(r), HasSubstr("torch.set_default_device(\"cuda:1\")"));
}

/// Whether the function of this name in the program looks for any part of the text.
bool looks_for(const std::string& program, const std::string& function, const std::string& text) {
  const std::size_t declared = program.find(function + "(");
  const std::size_t begin = program.find("says(error, ", declared);
  std::istringstream texts(program.substr(begin, program.find_first_of("]}", begin) - begin));
  // Between quotes: every second part.
  int part = 0;
  for (std::string between; std::getline(texts, between, '"'); ++part)
    if (part % 2 == 1 && text.find(between) != std::string::npos) return true;
  return false;
}

TEST(GpuProgram, AnAssertionIsARefusalAndAFaultIsNot) {
  Reproduction r = reproduction_of(kOutOfRange, Kind::kDevice);
  r.call.device = "cuda:0";
  EXPECT_THAT(cpp_program(r), HasSubstr("if (is_fault(error.what())) {"));
  EXPECT_THAT(python_program(r), HasSubstr("if is_fault(error):"));
  // As PyTorch 2.11 says it, which speaks of assertions to everyone.
  const std::string ending =
      "\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n";
  const std::string fault = "CUDA error: an illegal memory access was encountered" + ending;
  const std::string assertion = "CUDA error: device-side assert triggered" + ending;
  for (const std::string& program : {cpp_program(r), python_program(r)}) {
    EXPECT_TRUE(looks_for(program, "is_fault", fault));
    EXPECT_FALSE(looks_for(program, "is_device_assertion", fault));
    EXPECT_TRUE(looks_for(program, "is_device_assertion", assertion));
    EXPECT_FALSE(looks_for(program, "is_fault", assertion));
  }
}

TEST(GpuProgram, WhatLiesBesideMemoryIsLookedAtUnderTheSanitizer) {
  Reproduction r = reproduction_of(kStrided, Kind::kMemory);
  EXPECT_THAT(python_program(r), Not(HasSubstr("compute-sanitizer")));
  r.call.device = "cuda";
  EXPECT_THAT(python_program(r), HasSubstr("shutil.which(\"compute-sanitizer\")"));
  EXPECT_THAT(cpp_program(r), HasSubstr("return look_closer(WEXITSTATUS(status), argv);"));
  EXPECT_THAT(cpp_program(r), HasSubstr("== nullptr ? 20 : 50;"));
  r.verdict.kind = Kind::kValue;
  EXPECT_THAT(python_program(r), Not(HasSubstr("compute-sanitizer")));
  EXPECT_THAT(cpp_program(r), Not(HasSubstr("look_closer")));
}

constexpr std::string_view kOnBusyStream =
    "indexfuzz case 1\n"
    "masked_fill.Tensor functional stream=side algorithms=deterministic\n"
    "self float32 (2, 3) slices=far\n"
    "mask bool (2, 3) fill=mask_front popcount=1\n"
    "value float32 () device=host\n";

TEST(GpuProgram, TheSettingsOfTheCaseAreMade) {
  Reproduction r = reproduction_of(kOnBusyStream, Kind::kValue);
  r.call.device = "cuda:1";
  const std::string text = python_program(r);
  EXPECT_THAT(text, HasSubstr("torch.set_default_device(\"cuda:1\")\n"));
  EXPECT_THAT(text, HasSubstr("torch.use_deterministic_algorithms(True)\n"));
  EXPECT_THAT(text, HasSubstr("self_storage = torch.empty(8589934604, dtype=torch.uint8)"
                              ".view(torch.float32)\n"
                              "self = self_storage.as_strided((2, 3), (2147483648, 1), 0)\n"));
  EXPECT_THAT(text, HasSubstr("value = value.cpu()\n"));
  EXPECT_THAT(text, HasSubstr("mask_zeros = torch.zeros_like(mask)\n"));
  EXPECT_THAT(text, HasSubstr("self_small = torch.tensor([0.])\n"));
  EXPECT_THAT(text, HasSubstr("busy_stream([self, mask], lambda: torch.masked_fill("));
  EXPECT_THAT(text, HasSubstr("if not same(there, actual).all():"));
  EXPECT_THAT(
      text, HasSubstr("actual = torch.masked_fill(self, mask, value)\n    there = actual.clone()  "
                      "# as it is in the order of the stream\n    quietly(lambda: "
                      "torch.masked_fill(self_zeros, mask_zeros, value_zeros))\n"
                      "    quietly(lambda: torch.masked_fill(self_small, mask_small, "
                      "value_small))\n"));
  EXPECT_THAT(
      text,
      HasSubstr("    value.reshape(-1).view(torch.uint8).fill_(0xFE)\n"
                "    torch.cuda.synchronize()\n    torch.ones(1)\n    value.copy_(value_value)\n"));
  EXPECT_THAT(issue_text(r), HasSubstr("# self has a stride of 2**31"));
  EXPECT_THAT(issue_text(r), HasSubstr("of shape (2, 3), strides (2147483648, 1), storage"));
  EXPECT_THAT(text, HasSubstr("torch.cuda._sleep(3 << 29)"));
  EXPECT_THAT(text, Not(HasSubstr("busy_memory")));
  r.c.gpu.busy_memory = true;
  EXPECT_THAT(python_program(r), HasSubstr("busy_memory()\nbusy_stream("));
  EXPECT_THAT(issue_text(r), HasSubstr("# While another stream is at work on much memory"));
  r.c.gpu.idle_others = true;
  EXPECT_THAT(python_program(r), HasSubstr("    # Other streams are idle"));
  EXPECT_THAT(python_program(r), Not(HasSubstr("torch.cuda._sleep(3 << 29)")));
  r.c.gpu.other_device = true;
  EXPECT_THAT(python_program(r), HasSubstr("torch.cuda.set_device("));
}

TEST(GpuProgram, OnTheCpuTheDeterministicFlagAndFarSlicesAreLeft) {
  const Reproduction r = reproduction_of(kOnBusyStream, Kind::kValue);
  for (const std::string& text : {python_program(r), cpp_program(r)}) {
    EXPECT_THAT(text, Not(HasSubstr("cuda")));
    EXPECT_THAT(text, HasSubstr("eterministic"));
    EXPECT_THAT(text, HasSubstr("2147483648"));
  }
}

TEST(GpuProgram, ALeakIsMeasuredThere) {
  Reproduction r = reproduction_of(kStrided, Kind::kLeak);
  r.call.device = "cuda";
  EXPECT_THAT(python_program(r), HasSubstr("torch.cuda.mem_get_info()"));
  EXPECT_THAT(python_program(r), Not(HasSubstr("mallinfo2")));
  EXPECT_THAT(python_program(r), HasSubstr("torch.set_default_device(\"cuda:0\")"));
}

}  // namespace
}  // namespace indexfuzz
