#pragma once
// The fixed parts of the C++ programs: how to compile one, the call, the verdict, the child that
// makes the call.

#include <string_view>

namespace indexfuzz {

/// {0}: the program's name; {1}: the further libraries to link on a GPU; {2}: still others.
inline constexpr std::string_view kCppHowToCompile =
    R"code(// g++ -std=c++20 {0}.cpp -o {0} $(python3 -c "import os, torch; d = os.path.dirname(torch.__file__); print(f'-I{{d}}/include -L{{d}}/lib -Wl,--disable-new-dtags,-rpath,{{d}}/lib')") -Wl,--no-as-needed -ltorch_cpu{1} -lc10 -ldl{2} -Wl,--allow-shlib-undefined
)code";

inline constexpr std::string_view kCppIncludes = R"code(#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>
#include <vector>

)code";

inline constexpr std::string_view kCppNeedsGpu =
    R"code(  if (!at::hasCUDA() || at::getNumGPUs() <= static_cast<size_t>(kDevice.index())) {
    printf("cannot tell: this PyTorch sees no such GPU\n");
    return 125;
  }
)code";

inline constexpr std::string_view kCppNewMemory =
    R"code(  // What is never written shows: malloc fills new memory with 0x42.
  mallopt(M_PERTURB, 0xFF ^ 0x42);
)code";
/// As kPythonGpuNewMemory.
inline constexpr std::string_view kCppGpuNewMemory =
    R"code(  // What is never written shows: new memory is taken from blocks that were full of 0x42.
  for (const int64_t size : {1 << 20, 20 << 20}) {
    std::vector<at::Tensor> blocks;
    for (int i = 0; i < 4; ++i)
      blocks.push_back(at::empty({size}, at::TensorOptions().dtype(at::kByte).device(kDevice)).fill_(0x42));
  }
)code";

/// {}: the paths of libpython and libtorch_python.
inline constexpr std::string_view kCppLoadPython =
    R"code(  // The library is a Python extension: what it needs is in every Python process.
  for (const char* library : {{{}}}) {{
    dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  }}
)code";

/// Loads the program's arguments or, if there are none, `libraries`.
inline constexpr std::string_view kCppLoad =
    R"code(  if (argc > 1) libraries.assign(argv + 1, argv + argc);
  for (const std::string& library : libraries) {
    if (dlopen(library.c_str(), RTLD_NOW) == nullptr) {
      printf("cannot tell: %s\n", dlerror());
      return 125;
    }
  }
)code";

/// Follows a call that must be refused. Leaves its `catch` block open, in which kCppGpuRefusal
/// comes next on a GPU.
inline constexpr std::string_view kCppRefusal = R"code(;
      printf("actual:   returned a result\n");
      wrong = "illegal arguments were accepted";
    } catch (const std::exception& error) {
      printf("actual:   %s\n", first_line(error.what()).c_str());
      if (strstr(error.what(), "INTERNAL ASSERT") != nullptr) wrong = "an internal assertion failed";
      if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) wrong = "memory ran out";
)code";

/// Ends the program: after these errors the GPU's context is unusable.
inline constexpr std::string_view kCppGpuRefusal =
    R"code(      if (is_device_assertion(error.what())) {
        printf("right\n");
        return 0;
      }
      if (is_fault(error.what())) {
        printf("WRONG: a fault on the GPU\n");
        return 1;
      }
)code";

inline constexpr std::string_view kCppVerdict =
    R"code(      if (operand->changed()) wrong = std::string("the memory of ") + operand->name + " was changed";
    }
    if (!wrong.empty()) {
      printf("WRONG: %s\n", wrong.c_str());
      return 1;
    }
  }
  printf("right\n");
  return 0;
}
)code";

/// Goes before kCppChild, whose function then returns `look_closer(code, argv)`.
inline constexpr std::string_view kCppLookCloser = R"code(
// PyTorch's allocator hands out parts of larger blocks: an access beyond one of them shows only where each is an
// allocation of its own and compute-sanitizer looks on.
int look_closer(int code, char** argv) {
  if (code != 0 || getenv("UNDER_SANITIZER") != nullptr) return code;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    setenv("UNDER_SANITIZER", "1", 1);
    setenv("PYTORCH_NO_CUDA_MEMORY_CACHING", "1", 1);
    std::vector<char*> command;
    for (const char* word : {"compute-sanitizer", "--error-exitcode", "86", "--report-api-errors", "no",
                             "--target-processes", "all"})
      command.push_back(const_cast<char*>(word));
    for (; *argv != nullptr; ++argv) command.push_back(*argv);
    command.push_back(nullptr);
    execvp(command[0], command.data());
    execv("/usr/local/cuda/bin/compute-sanitizer", command.data());
    printf("cannot tell: there is no compute-sanitizer\n");
    fflush(stdout);
    _exit(125);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status)) return 125;
  if (WEXITSTATUS(status) == 86) printf("WRONG: memory was touched beside an allocation\n");
  return WEXITSTATUS(status) == 86 ? 1 : WEXITSTATUS(status) == 0 ? 0 : 125;
}
)code";

/// Goes before `run`.
inline constexpr std::string_view kCppTell = R"code(
// To the process that waits: '.' before each call, 'x' behind the last.
int told_to = -1;
void tell(char mark) { [[maybe_unused]] const ssize_t size = write(told_to, &mark, 1); }
)code";

/// ENTRY stands for the function's name; for a call that does not return, NO_ANSWER stands for the
/// beginning of the sentence, NO_ANSWER_CODE for the exit code.
inline constexpr std::string_view kCppChild = R"code(
int ENTRY(int argc, char** argv) {
  int ends[2];
  if (pipe(ends) != 0) return 125;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  told_to = ends[1];
  const pid_t child = fork();
  if (child == 0) {
    const int code = run(argc, argv);
    fflush(stdout);
    tell('x');
    _exit(code);
  }
  const int seconds = getenv("UNDER_SANITIZER") == nullptr ? 20 : 50;
  int status = 0;
  char last = 0;
  for (int hundredths = 0;; ++hundredths) {
    const bool ended = waitpid(child, &status, WNOHANG) != 0;
    char marks[4096];
    for (ssize_t size; (size = read(ends[0], marks, sizeof marks)) > 0; hundredths = 0) last = marks[size - 1];
    if (ended) break;
    if (last != 0 && hundredths > 100 * seconds) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      printf("NO_ANSWER: no answer within %d seconds\n", seconds);
      return NO_ANSWER_CODE;
    }
    usleep(10000);
  }
  if (last == 'x') return WEXITSTATUS(status);
  if (last == 0) {
    printf("cannot tell: the process ended before the call\n");
    return 125;
  }
  if (!WIFSIGNALED(status))
    printf("WRONG: the call ended the process, by exit code %d\n", WEXITSTATUS(status));
  else
    printf("WRONG: the call ended the process, by signal %d\n", WTERMSIG(status));
  return 1;
}
)code";

}  // namespace indexfuzz
