#pragma once
// Tests a custom kernel from a test program of its own. Needs C++17, nothing else of indexfuzz, and
// nothing of torch.
//
//   TEST(MyKernels, AreRightWhateverTheyAreCalledWith) {
//     indexfuzz::CheckOptions options;
//     options.libraries = {"./libmine.so"};
//     options.implementations = {"mine"};
//     const indexfuzz::Checked checked = indexfuzz::check(options);
//     EXPECT_TRUE(checked.held()) << checked.text;
//   }
//
// With CMake: find_package(indexfuzz), which finds an install in CMAKE_PREFIX_PATH, or a build
// given as -Dindexfuzz_DIR=BUILD; then target_link_libraries(mine_test PRIVATE indexfuzz::check).

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace indexfuzz {

/// What to test, and for how long. What is left empty has the default of `indexfuzz fuzz`.
struct CheckOptions {
  std::vector<std::string> libraries;        ///< to load: libmine.so, mine.py
  std::vector<std::string> implementations;  ///< "mine", "mine::index_select", "mine::gather@cuda"
  std::vector<std::string> operators;        ///< "index_select", …
  std::string contract;      ///< what the kernels promise less of than ATen: a TOML file
  std::string time = "10s";  ///< how long to draw cases; "" if `arguments` say how many
  std::string seed;          ///< the same cases each time, if `arguments` have --cases and --jobs 1
  std::string folder;        ///< where findings are kept, new or empty; "": removed in the end
  /// Others, but not --error-exitcode: "--legal-only", "--strict", "--cases", "1e5".
  std::vector<std::string> arguments;
  /// The program; "": the environment variable INDEXFUZZ_PROGRAM, the macro of the same name, which
  /// CMake's target indexfuzz::check defines, or else `indexfuzz` in PATH.
  std::string program;
};

/// What a check showed of all implementations together.
enum class CheckVerdict {
  kHeld,          ///< every implementation asked for was right in every case
  kFailed,        ///< one was wrong, crashed or hung
  kInconclusive,  ///< nothing was wrong, but something asked for was never verified
  kNotChecked,    ///< no such program, library or kernel; no GPU; a full disk; interrupted
};

/// What came of a check.
struct Checked {
  CheckVerdict verdict = CheckVerdict::kNotChecked;
  std::string text;  ///< the command, what it printed, and how to reproduce what was found

  bool held() const { return verdict == CheckVerdict::kHeld; }
};

/// Draws random calls until the time is over or one fails, in a process of its own: no crash and no
/// hang of a kernel reaches the caller. Exit codes and files are those of `indexfuzz fuzz --help`.
/// Throws nothing but std::bad_alloc.
inline Checked check(const CheckOptions& options);

namespace check_detail {

inline std::string program_of(const CheckOptions& options) {
  if (!options.program.empty()) return options.program;
  if (const char* variable = std::getenv("INDEXFUZZ_PROGRAM");
      variable != nullptr && *variable != '\0')
    return variable;
#ifdef INDEXFUZZ_PROGRAM
  return INDEXFUZZ_PROGRAM;
#else
  return "indexfuzz";
#endif
}

inline std::vector<std::string> command_of(const CheckOptions& options, const std::string& folder) {
  std::vector<std::string> command{program_of(options), "fuzz"};
  command.insert(command.end(), options.operators.begin(), options.operators.end());
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) command.insert(command.end(), {name, value});
  };
  for (const std::string& library : options.libraries) add("--load", library);
  for (const std::string& implementation : options.implementations) add("--impl", implementation);
  add("--contract", options.contract);
  add("--time", options.time);
  add("--seed", options.seed);
  add("--max-findings", "1");
  add("--out", folder);
  command.insert(command.end(), options.arguments.begin(), options.arguments.end());
  return command;
}

/// As it would be typed into a shell.
inline std::string typed(const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                            "0123456789_-+=/.,:@") == std::string::npos;
    std::string quoted = "'";
    for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
    line += (line.empty() ? "" : " ") + (plain ? word : quoted + "'");
  }
  return line;
}

/// Runs a program with both of its streams appended to `output`. Returns its exit code, 127 if it
/// cannot be run, or 128 and the number of the signal that ended it.
inline int run(const std::vector<std::string>& command, std::string& output) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return 127;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    // A test that is killed does not leave a campaign behind.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(127);
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    execvp(words[0], words.data());
    _exit(127);
  }
  close(ends[1]);
  char part[4096];
  for (ssize_t size = 1; child > 0 && size != 0;) {
    size = read(ends[0], part, sizeof part);
    if (size > 0) output.append(part, static_cast<std::size_t>(size));
    if (size < 0 && errno != EINTR) break;
  }
  close(ends[0]);
  int status = 127 << 8;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The exit codes of `indexfuzz fuzz`.
inline CheckVerdict verdict_of(int code) {
  switch (code) {
    case 0: return CheckVerdict::kHeld;
    case 77: return CheckVerdict::kFailed;
    case 3: return CheckVerdict::kInconclusive;
    default: return CheckVerdict::kNotChecked;
  }
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// How to reproduce each finding that is not in the ledger, as it would be filed.
inline std::string issues_in(const std::filesystem::path& folder) {
  std::string text;
  std::error_code error;
  std::filesystem::directory_iterator finding(folder / "findings", error);
  // Not a range-for, whose ++ throws.
  for (; !error && finding != std::filesystem::directory_iterator(); finding.increment(error)) {
    const std::filesystem::path& path = finding->path();
    if (read_text(path / "finding.json").find("\"known\": false") != std::string::npos)
      text += "\n" + read_text(path / "issue.md");
  }
  return text;
}

/// A new folder of its own, removed in the end.
struct TemporaryFolder {
  std::filesystem::path path;

  TemporaryFolder() {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    if (error) return;
    std::string name = (parent / "indexfuzz-check-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    if (!path.empty()) std::filesystem::remove_all(path, error);
  }
};

}  // namespace check_detail

inline Checked check(const CheckOptions& options) {
  const check_detail::TemporaryFolder temporary;
  Checked checked;
  if (options.folder.empty() && temporary.path.empty()) {
    checked.text = "indexfuzz: cannot create a folder in TMPDIR, or in /tmp.\n";
    return checked;
  }
  const std::string folder =
      options.folder.empty() ? (temporary.path / "out").string() : options.folder;
  const std::vector<std::string> command = check_detail::command_of(options, folder);
  checked.text = check_detail::typed(command) + "\n";
  const int code = check_detail::run(command, checked.text);
  checked.verdict = check_detail::verdict_of(code);
  if (code == 127) {
    checked.text += "indexfuzz: cannot run '" + command[0] +
                    "': set INDEXFUZZ_PROGRAM to the program, as built by "
                    "scripts/fuzz (build/indexfuzz) or installed (bin/indexfuzz).\n";
  }
  checked.text += check_detail::issues_in(folder);
  if (options.folder.empty() && checked.verdict == CheckVerdict::kFailed)
    checked.text += "\nThe folder is removed; CheckOptions::folder names one that is kept.\n";
  return checked;
}

}  // namespace indexfuzz
