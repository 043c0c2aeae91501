#include "campaign/examine/verify.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "campaign/failure.h"
#include "campaign/last_line.h"
#include "campaign/workers/torch_place.h"
#include "indexfuzz_config.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// How a reproducer that saw a wrong result ends, what it prints, and how one that cannot tell ends.
constexpr ProgramEnd kWrong{ProgramEnd::How::kExited, 1};
constexpr std::string_view kWrongMark = "WRONG: ";
constexpr ProgramEnd kCannotTell{ProgramEnd::How::kExited, 125};

bool timed_out(const ProgramEnd& end) {
  return end.how == ProgramEnd::How::kTimedOut;
}

bool in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0;
  const char* path = getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const fs::path folder(rest.substr(0, colon));
    if (access((folder / program).c_str(), X_OK) == 0) return true;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return false;
}

std::string compiler() {
  for (const char* program : {config::kCxxCompiler, "c++", "g++", "clang++"}) {
    if (*program != '\0' && in_path(program)) return program;
  }
  return "";
}

/// What a program must be linked with, by its first line, which says how to compile it.
std::vector<std::string> libraries_of(const fs::path& source) {
  std::ifstream file(source);
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  std::vector<std::string> libraries;
  for (std::string word; words >> word;) {
    if (word.starts_with("-l")) libraries.push_back(word);
  }
  if (libraries.empty()) libraries = {"-ltorch_cpu", "-lc10", "-ldl"};
  return libraries;
}

/// "2.11.0" of "2.11.0+cu126" and of "2.11.0.dev20260101".
std::string_view release_of(std::string_view version) {
  version = version.substr(0, version.find_first_not_of("0123456789."));
  while (version.ends_with('.')) version.remove_suffix(1);
  return version;
}

}  // namespace

std::vector<std::string> compile_command(const fs::path& source, const fs::path& program) {
  const std::string cxx = compiler();
  const std::string lib = torch_libraries();
  const std::string include = lib == config::kTorchLibDir
                                  ? config::kTorchIncludeDir
                                  : (fs::path(lib).parent_path() / "include").string();
  if (cxx.empty() || lib.empty() || !fs::exists(include + "/ATen/ATen.h")) return {};
  std::vector<std::string> command{
      cxx, "-std=c++20", "-w", source.string(), "-o", program.string(), "-I" + include,
      "-I" + include + "/torch/csrc/api/include", "-L" + lib,
      // An RPATH, unlike a RUNPATH, also serves what a kernel's library needs.
      "-Wl,--disable-new-dtags,-rpath," + lib, "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"};
  // A wheel's libraries need CUDA's runtime from packages beside it; the linker only has to find
  // them.
  std::error_code error;
  for (const auto& package : fs::directory_iterator(fs::path(lib) / "../../nvidia", error)) {
    command.push_back("-Wl,-rpath-link," + (package.path() / "lib").string());
  }
  std::ranges::copy(libraries_of(source), std::back_inserter(command));
  command.emplace_back("-lpthread");
  return command;
}

std::string default_python() {
  if (const char* active = getenv("VIRTUAL_ENV")) {
    const std::string python = std::string(active) + "/bin/python";
    if (in_path(python)) return python;
  }
  if (*config::kPython != '\0' && in_path(config::kPython)) return config::kPython;
  return in_path("python3") ? "python3" : "";
}

Verifier::Verifier(std::string python, std::string torch, std::chrono::seconds limit)
    : python_(std::move(python)), torch_(std::move(torch)), limit_(limit) {
  if (python_.empty() || !in_path(python_)) python_torch_ = "";
}

void Verifier::add(const std::string& id, fs::path folder) {
  queue_.push_back({id, std::move(folder)});
}

std::chrono::seconds Verifier::time_left() const {
  const auto left = std::chrono::ceil<std::chrono::seconds>(deadline_ - Clock::now());
  return std::max(left, std::chrono::seconds(1));
}

void Verifier::add_note(const std::string& text) {
  current_.note += (current_.note.empty() ? "" : "; ") + text;
}

Verified Verifier::read(const ProgramEnd& end, const std::string& program) {
  // Python also exits with 1 if it cannot read the program.
  if (end == kWrong && process_->output().find(kWrongMark) != std::string::npos)
    return Verified::kYes;
  if (end == kCannotTell || end == kNotStarted) return Verified::kUnknown;
  const std::string line = last_line(process_->output());
  add_note(fmt::format("{} {}{}{}", program, in_words(end), line.empty() ? "" : ": ", line));
  return end.is_success() ? Verified::kRight : Verified::kOther;
}

fs::path Verifier::program() {
  try {
    if (!scratch_) scratch_.emplace("indexfuzz");
    return scratch_->path() / "repro";
  } catch (const SetupError& error) {
    add_note(error.what());
    return {};
  }
}

void Verifier::begin(Step step) {
  step_ = step;
  deadline_ = Clock::now() + limit_;
  const fs::path& folder = queue_.front().folder;
  std::vector<std::string> argv;
  switch (step) {
    case Step::kIdle: return;
    case Step::kProbe:
      if (python_torch_) return begin(Step::kPython);
      argv = {python_, "-c", "import torch; print(torch.__version__)"};
      break;
    case Step::kPython:
      if (python_torch_->empty()) return begin(Step::kCompile);
      if (release_of(*python_torch_) != release_of(torch_)) {
        add_note(fmt::format("repro.py was not run: {} has torch {}, {} was tested; give --python",
                             python_, *python_torch_, torch_));
        return begin(Step::kCompile);
      }
      argv = {python_, (folder / "repro.py").string()};
      break;
    case Step::kCompile:
      if (const fs::path to = program(); !to.empty())
        argv = compile_command(folder / "repro.cpp", to);
      if (argv.empty()) {
        done_ = true;
        return;
      }
      break;
    case Step::kCpp: argv = {program().string()}; break;
  }
  process_ = std::make_unique<Subprocess>(argv, time_left());
}

void Verifier::finish(Step step, const ProgramEnd& end) {
  switch (step) {
    case Step::kIdle: break;
    case Step::kProbe: finish_probe(end); break;
    case Step::kPython:
      current_.python = read(end, "repro.py");
      begin(Step::kCompile);
      break;
    case Step::kCompile:
      if (end.is_success()) {
        begin(Step::kCpp);
      } else {
        // A compiler that does not work is no reason to doubt a finding.
        if (timed_out(end)) current_.cpp = Verified::kPending;
        add_note("repro.cpp could not be compiled: " + (timed_out(end)
                                                            ? "the compiler did not end in time"
                                                            : last_line(process_->output())));
        done_ = true;
      }
      break;
    case Step::kCpp:
      current_.cpp = read(end, "repro.cpp");
      done_ = true;
      break;
  }
}

void Verifier::finish_probe(const ProgramEnd& end) {
  if (timed_out(end)) {
    // This is due to the machine's load, not to torch: with the next finding it may succeed.
    add_note("repro.py was not run: Python did not import torch in time");
    current_.python = Verified::kPending;
    return begin(Step::kCompile);
  }
  python_torch_ = end.is_success() ? last_line(process_->output()) : "";
  begin(Step::kPython);
}

std::optional<Verifier::Result> Verifier::poll() {
  if (step_ == Step::kIdle) {
    if (queue_.empty()) return std::nullopt;
    current_ = {queue_.front().id, Verified::kUnknown, Verified::kUnknown, ""};
    done_ = false;
    begin(Step::kProbe);
  }
  if (!done_ && process_) {
    if (const auto end = process_->poll()) finish(step_, *end);
  }
  if (!done_) return std::nullopt;
  process_.reset();
  queue_.pop_front();
  step_ = Step::kIdle;
  return current_;
}

}  // namespace indexfuzz
