// What tools wrote: parts of real logs, with shorter paths.

#include "campaign/programs/tool_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "case/strings/replace_all.h"

namespace indexfuzz {
namespace {

using testing::ElementsAre;

void expect(const ToolLog& log, Shown shown, const std::vector<std::string>& says) {
  EXPECT_EQ(in_words(log.shown), in_words(shown));
  EXPECT_EQ(log.says, says);
}

TEST(ToolLog, NamesAreShownWithoutParametersAndTemplateArguments) {
  EXPECT_EQ(short_name("at::native::f(at::Tensor const&, long)"), "at::native::f");
  EXPECT_EQ(short_name("void a::(anonymous namespace)::g<4ul, b<c> >(char*)"),
            "a::(anonymous namespace)::g<...>");
  EXPECT_EQ(short_name("a::h<std::less<int> >::operator()(int (*)(int)) const [clone .isra.0]"),
            "a::h<...>::operator()");
  EXPECT_EQ(short_name("a::operator<< <int>(b&)"), "a::operator<< <...>");
  EXPECT_EQ(short_name("a::p::operator->() const"), "a::p::operator->");
  EXPECT_EQ(short_name("a::h::operator()"), "a::h::operator()");
  EXPECT_EQ(short_name("main"), "main");
  EXPECT_EQ(short_name("f)"), "f)");
  EXPECT_EQ(short_name(""), "");
}

constexpr const char* kGdb = R"(
[Thread debugging using libthread_db enabled]
[New Thread 0x7fff3fdff6c0 (LWP 8525)]

Thread 1 "python" received signal SIGSEGV, Segmentation fault.
0x00007ffff7d2b1c0 in __memmove_avx_unaligned_erms () from /lib/x86_64-linux-gnu/libc.so.6
#0  0x00007ffff7d2b1c0 in __memmove_avx_unaligned_erms () from /lib/x86_64-linux-gnu/libc.so.6
#1  0x00007ffff7d2b1c0 in ?? ()
#2  0x00007fff60a88f6d in mine::(anonymous namespace)::copy<4>(char*) () from /x/libmine.so
#3  0x00007ffff7ba6ce3 in cfunction_call (func=..., args=...) at Objects/methodobject.c:542
)";

TEST(ToolLog, OfGdbTheTopmostFunctionThatIsNotTheSystems) {
  const std::string in_library = kGdb;
  expect(read_gdb(in_library), Shown::kWrong,
         {"SIGSEGV in mine::(anonymous namespace)::copy<...> (libmine.so)"});
  const std::string with_source =
      "Program received signal SIGFPE, Arithmetic exception.\n#0  x::f (n=...) at src/f.cpp:12\n";
  expect(read_gdb(with_source), Shown::kWrong, {"SIGFPE in x::f (f.cpp:12)"});
  expect(read_gdb("Program terminated with signal SIGKILL, Killed.\nNo stack.\n"), Shown::kWrong,
         {"SIGKILL"});
}

TEST(ToolLog, OfGdbWithoutASignal) {
  expect(read_gdb("WRONG: x\n[Inferior 1 (process 12) exited with code 01]\nNo stack.\n"),
         Shown::kRight, {});
  expect(read_gdb("[Inferior 1 (process 12) exited normally]\n"), Shown::kRight, {});
  expect(read_gdb("#0  f () from /x.so\n"), Shown::kCannotTell, {"it did not see the program end"});
  expect(read_gdb("warning: Could not trace the inferior process.\n"
                  "warning: ptrace: Operation not permitted\n"),
         Shown::kCannotTell, {"it may not trace programs here: ptrace is not permitted"});
}

constexpr const char* kLoader = R"(==12== Memcheck, a memory error detector
==12== Command: python valgrind.py
==12== 
==12== Invalid read of size 8
==12==    at 0x4023C6C: strncmp (strcmp-sse2.S:160)
==12==    by 0x4004BEE: is_dst (dl-load.c:216)
==12==    by 0x40059BE: _dl_dst_count (dl-load.c:253)
==12==  Address 0x743bf91 is 161 bytes inside a block of size 168 alloc'd
==12==    at 0x48417B4: malloc (in /x/vgpreload_memcheck-amd64-linux.so)
==12== 
==12== Warning: set address range perms: large range [0x7e3d000, 0x2debe000) (noaccess)
)";
constexpr const char* kOverrun = R"(==12== Invalid read of size 4
==12==    at 0x48417B4: memmove (in /x/vgpreload_memcheck-amd64-linux.so)
==12==    by 0xCEB28D10: void planted::move_bytes<4ul>(char*, char const*) (strided.h:93)
==12==    by 0xCEBD0F16: planted::select_rows(long) (in /x/libplanted.so)
==12==  Address 0xa1d2040 is 0 bytes after a block of size 64 alloc'd
==12==    at 0x4846CC3: posix_memalign (in /x/vgpreload_memcheck-amd64-linux.so)
==12==    by 0x8B8AF3E: c10::alloc_cpu(unsigned long) (in /x/libc10.so)
==12== 
)";
constexpr const char* kSummary =
    "==12== ERROR SUMMARY: 24 errors from 4 contexts (suppressed: 0 from 0)\n";

TEST(ToolLog, OfValgrindWhatIsNotTheLoaders) {
  const std::string loader = kLoader;
  expect(read_valgrind(loader + kSummary), Shown::kRight, {});
  expect(read_valgrind(loader), Shown::kCannotTell, {"it did not see the program end"});
  expect(read_valgrind(loader + kOverrun + kOverrun + kSummary), Shown::kWrong,
         {"Invalid read of size 4 in planted::move_bytes<...> (strided.h:93): Address 0xa1d2040 is "
          "0 bytes "
          "after a block of size 64 alloc'd"});
}

TEST(ToolLog, OfValgrindTheSignalThatEndsTheProgram) {
  const std::string dies = R"(==12== Process terminating with default action of signal 11 (SIGSEGV)
==12==  Access not within mapped region at address 0x10
==12==    at 0x9E8CF6D: memcpy (in /usr/lib/libc.so.6)
==12==    by 0x9E8CF6D: at::native::f(at::Tensor const&) (in /x/libtorch_cpu.so)
==12==  If you believe this happened as a result of a stack
)";
  expect(read_valgrind(dies), Shown::kWrong,
         {"Process terminating with default action of signal 11 (SIGSEGV) in at::native::f "
          "(libtorch_cpu.so): Access not within mapped region at address 0x10"});
}

constexpr const char* kMemcheck = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at void mine::copy<float, (int)4>(float *, int)+0x70 in mine.cu:12
=========     by thread (31,0,0) in block (0,0,0)
=========     Access to 0x7f89bfa00400 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f89bfa00000 of size 1024 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: cudaLaunchKernel [0x95c36] in libcudart.so.13
========= 
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure"
=========     Saved host backtrace up to driver entry point at error
========= ERROR SUMMARY: 1 error
)";

TEST(ToolLog, OfComputeSanitizerTheErrorsOfKernels) {
  std::string by_others = kMemcheck;
  replace_all(by_others, "(31,0,0)", "(32,0,0)");
  expect(
      read_sanitizer(kMemcheck + by_others), Shown::kWrong,
      {"Invalid __global__ write of size 4 bytes at mine::copy<...>+0x70 in mine.cu:12 by "
       "thread (31,0,0) in block (0,0,0) Access to 0x7f89bfa00400 is out of bounds and is 1 bytes "
       "after the nearest allocation at 0x7f89bfa00000 of size 1024 bytes"});
  // As compute-sanitizer 2025.3.1 wrote it on an H200.
  const std::string in_namespace =
      "========= COMPUTE-SANITIZER\n"
      "========= Invalid __global__ read of size 4 bytes\n"
      "=========     at planted_cuda::<unnamed>::select_rows(long, planted_cuda::IndexSelectCall, "
      "long)+0x33b0\n"
      "=========     by thread (0,0,0) in block (0,0,0)\n"
      "=========     Access to 0x7fb0f2800040 is out of bounds\n"
      "=========     and is 1 bytes after the nearest allocation at 0x7fb0f2800000 of size 64 "
      "bytes\n"
      "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
      "=========         Host Frame:  [0x1376c] in libcudart.so.13\n"
      "========= \n========= ERROR SUMMARY: 1 error\n";
  expect(read_sanitizer(in_namespace), Shown::kWrong,
         {"Invalid __global__ read of size 4 bytes at planted_cuda::<...>::select_rows+0x33b0 by "
          "thread (0,0,0) in block (0,0,0) Access to 0x7fb0f2800040 is out of bounds and is 1 "
          "bytes after the nearest allocation at 0x7fb0f2800000 of size 64 bytes"});
  const std::string race =
      "========= COMPUTE-SANITIZER\n"
      "========= Error: Race reported between Write access at fold(int *)+0x90 in f.cu:41\n"
      "=========     and Read access at fold(int *)+0x100 in f.cu:51 [508 hazards]\n=========\n"
      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n";
  expect(read_sanitizer(race), Shown::kWrong,
         {"Error: Race reported between Write access at fold+0x90 in f.cu:41 and Read access at "
          "fold+0x100 in f.cu:51 [508 hazards]"});
  const std::string barrier =
      "========= Barrier error detected. Divergent thread(s) in warp.\n"
      "=========     at illegal(int *)+0xa0 in b.cu:61\n"
      "=========     by thread (19,0,0) in block (0,0,0)\n========= ERROR SUMMARY: 1 error\n";
  EXPECT_THAT(read_sanitizer(barrier).says,
              ElementsAre("Barrier error detected. Divergent thread(s) in warp. at illegal+0xa0 in "
                          "b.cu:61 by thread (19,0,0) in block (0,0,0)"));
  const std::string unwritten =
      "========= Uninitialized __global__ memory read of size 4 bytes\n"
      "=========     at 0x100 in /x/sum.cu:30:sum(int *)\n=========     Address 0x7fbbca800000\n";
  EXPECT_THAT(read_sanitizer(unwritten).says,
              ElementsAre("Uninitialized __global__ memory read of size 4 bytes at 0x100 in "
                          "/x/sum.cu:30:sum(int *) Address 0x7fbbca800000"));
}

TEST(ToolLog, OfComputeSanitizerNoWarningAndWhatItDidNotWatch) {
  const std::string warning =
      "========= Warning: Race reported between Read access at f(int)+0x260\n"
      "=========     and Write access at f(int)+0x200 [9 hazards]\n";
  expect(read_sanitizer(warning + "========= RACECHECK SUMMARY: 1 hazard displayed (0 errors)\n"),
         Shown::kRight, {});
  expect(read_sanitizer("========= COMPUTE-SANITIZER\n"
                        "========= Error: process didn't terminate successfully\n"
                        "=========     The application may have hit an error\n"
                        "========= Error: Target application terminated before first instrumented "
                        "API call\n"),
         Shown::kCannotTell,
         {"Error: Target application terminated before first instrumented API call"});
  expect(read_sanitizer("right\n"), Shown::kCannotTell, {"it did not watch the program"});
}

TEST(ToolLog, ManyFaultsAreCountedAndAnyTextIsRead) {
  std::string many;
  for (const char* function : {"a", "b", "c", "d", "e"})
    many +=
        std::string("==1== Invalid free() / delete\n==1==    at 0x1: ") + function + " (x.cpp:1)\n";
  EXPECT_THAT(read_valgrind(many).says,
              ElementsAre("Invalid free() / delete in a (x.cpp:1)",
                          "Invalid free() / delete in b (x.cpp:1)",
                          "Invalid free() / delete in c (x.cpp:1)", "and 2 more"));
  // A log may be cut off anywhere.
  for (const std::string& log :
       {std::string(kGdb), std::string(kOverrun), std::string(kMemcheck)}) {
    for (std::size_t size = 0; size <= log.size(); ++size) {
      for (const auto read : {read_gdb, read_valgrind, read_sanitizer})
        EXPECT_NE(in_words(read(log.substr(0, size)).shown), "right") << log.substr(0, size);
    }
  }
}

}  // namespace
}  // namespace indexfuzz
