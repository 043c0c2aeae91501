#include "campaign/programs/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "campaign/failure.h"
#include "campaign/last_line.h"
#include "campaign/programs/program_outcome.h"
#include "campaign/programs/toolchain.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

bool timed_out(const ProgramEnd& end) {
  return end.how == ProgramEnd::How::kTimedOut;
}

/// "2.11.0" of "2.11.0+cu126" and of "2.11.0.dev20260101".
std::string_view release_of(std::string_view version) {
  version = version.substr(0, version.find_first_not_of("0123456789."));
  while (version.ends_with('.')) version.remove_suffix(1);
  return version;
}

}  // namespace

ProgramRun::ProgramRun(ProgramSetup& setup, const std::string& id, fs::path folder)
    : setup_(setup), folder_(std::move(folder)) {
  result_.id = id;
  begin(setup_.python_torch ? Step::kPython : Step::kProbe);
}

void ProgramRun::add_note(const std::string& text) {
  result_.note += (result_.note.empty() ? "" : "; ") + text;
}

Verified ProgramRun::read(const ProgramEnd& end, const std::string& program) {
  const Verified verified = verified_by(end, process_->output());
  if (verified != Verified::kPasses && verified != Verified::kEndsOtherwise) return verified;
  const std::string line = last_line(process_->output());
  add_note(fmt::format("{} {}{}{}", program, in_words(end), line.empty() ? "" : ": ", line));
  return verified;
}

fs::path ProgramRun::program() {
  try {
    if (!scratch_) scratch_.emplace("indexfuzz");
    return scratch_->path() / "repro";
  } catch (const SetupError& error) {
    add_note(error.what());
    return {};
  }
}

void ProgramRun::begin(Step step) {
  step_ = step;
  std::vector<std::string> argv;
  switch (step) {
    case Step::kProbe: argv = torch_version_command(setup_.python); break;
    case Step::kPython: {
      const std::string& has = *setup_.python_torch;
      if (has.empty()) return begin(Step::kCompile);
      if (release_of(has) != release_of(setup_.torch)) {
        add_note(fmt::format("repro.py was not run: {} has torch {}, {} was tested; give --python",
                             setup_.python, has, setup_.torch));
        return begin(Step::kCompile);
      }
      argv = {setup_.python, (folder_ / "repro.py").string()};
      break;
    }
    case Step::kCompile:
      if (const fs::path to = program(); !to.empty())
        argv = compile_command(folder_ / "repro.cpp", to);
      if (argv.empty()) return begin(Step::kDone);
      break;
    case Step::kCpp: argv = {program().string()}; break;
    case Step::kDone: return process_.reset();
  }
  process_ = std::make_unique<Subprocess>(argv, setup_.limit);
}

void ProgramRun::finish(const ProgramEnd& end) {
  switch (step_) {
    case Step::kProbe: return finish_probe(end);
    case Step::kPython: result_.python = read(end, "repro.py"); return begin(Step::kCompile);
    case Step::kCompile:
      if (end.is_success()) return begin(Step::kCpp);
      // A compiler that does not work is no reason to doubt a finding.
      if (timed_out(end)) result_.cpp = Verified::kNotRun;
      add_note("repro.cpp could not be compiled: " + (timed_out(end)
                                                          ? "the compiler did not end in time"
                                                          : last_line(process_->output())));
      return begin(Step::kDone);
    case Step::kCpp: result_.cpp = read(end, "repro.cpp"); return begin(Step::kDone);
    case Step::kDone: return;
  }
}

void ProgramRun::finish_probe(const ProgramEnd& end) {
  if (timed_out(end)) {
    // This is due to the machine's load, not to torch: with the next finding it may succeed.
    add_note("repro.py was not run: Python did not import torch in time");
    result_.python = Verified::kNotRun;
    return begin(Step::kCompile);
  }
  setup_.python_torch = end.is_success() ? last_line(process_->output()) : "";
  begin(Step::kPython);
}

std::optional<ProgramResult> ProgramRun::poll() {
  if (process_) {
    if (const auto end = process_->poll()) finish(*end);
  }
  if (step_ != Step::kDone) return std::nullopt;
  return result_;
}

Verifier::Verifier(std::string python, std::string torch, std::chrono::seconds limit)
    : setup_{std::move(python), std::move(torch), limit, std::nullopt} {
  if (setup_.python.empty() || !in_path(setup_.python)) setup_.python_torch = "";
}

void Verifier::add(const std::string& id, fs::path folder) {
  waiting_.push_back({id, std::move(folder)});
}

std::optional<ProgramResult> Verifier::poll() {
  while (running_.size() < at_once_ && !waiting_.empty()) {
    running_.push_back(std::make_unique<ProgramRun>(setup_, waiting_.front().id,
                                                    std::move(waiting_.front().folder)));
    waiting_.pop_front();
  }
  for (auto run = running_.begin(); run != running_.end(); ++run) {
    std::optional<ProgramResult> result = (*run)->poll();
    if (!result) continue;
    running_.erase(run);
    return result;
  }
  return std::nullopt;
}

}  // namespace indexfuzz
