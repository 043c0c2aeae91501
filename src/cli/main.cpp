// indexfuzz: finds wrong, crashing and hanging tensor indexing kernels.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "campaign/exit_code.h"
#include "campaign/failure.h"
#include "cli/commands.h"
#include "cli/names.h"
#include "indexfuzz_config.h"

namespace {

using namespace indexfuzz;

constexpr const char* kAbout =
    "Finds wrong, crashing and hanging tensor indexing kernels: draws random cases, runs them "
    "through\n"
    "PyTorch and your own kernels, judges every byte that comes back, and saves what differs as a\n"
    "reproducer that needs nothing of indexfuzz.";

constexpr const char* kExamples =
    "Examples:\n"
    "  indexfuzz fuzz --time 60s                                  PyTorch's own operators\n"
    "  indexfuzz fuzz gather --load ./libmine.so --impl mine      your kernels of that name\n"
    "  indexfuzz replay corpus/                                   what was found before\n"
    "  indexfuzz show DIR/findings/0cafe1623aaa/minimal.case      a case in words\n"
    "`indexfuzz COMMAND --help` describes each command.";

/// Says why on stderr, without an exception if nobody reads it, and returns the exit code.
int fail(std::string_view sentence, Reason reason = Reason::kSetup) {
  std::fputs(fmt::format("indexfuzz: {}\n", sentence).c_str(), stderr);
  return exit_code({reason});
}

const CLI::App& chosen(const CLI::App& program) {
  const auto commands = program.get_subcommands();
  return commands.empty() ? program : *commands.front();
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::vector<std::string> command_names(CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

/// A sentence about the first option that the command does not take; empty if there is none.
std::string explain_extra(CLI::App& program, const std::vector<std::string>& arguments) {
  const CLI::App& command = chosen(program);
  const auto options = option_names(command);
  for (const std::string& argument : arguments) {
    if (!argument.starts_with("-") || argument == "--") continue;
    const std::string name = argument.substr(0, argument.find('='));
    const bool known = std::ranges::find(options, name) != options.end();
    if (!known) return unknown_name("option", name, options);
  }
  return "";
}

int explain(CLI::App& program, const CLI::ParseError& error,
            const std::vector<std::string>& arguments) {
  if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
  const auto commands = command_names(program);
  if (program.get_subcommands().empty() && !arguments.empty() &&
      !arguments.front().starts_with("-")) {
    return fail(unknown_name("command", arguments.front(), commands));
  }
  if (arguments.empty()) {
    return fail(fmt::format("which command? {} (indexfuzz --help)", fmt::join(commands, ", ")));
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::string extra = explain_extra(program, arguments);
    if (!extra.empty()) return fail(extra);
  }
  return fail(
      fmt::format("{} (see indexfuzz {} --help)", error.what(), chosen(program).get_name()));
}

/// Arguments of `fuzz` after `--` go to libFuzzer: `-- FLAG` is short for `--libfuzzer=FLAG`.
std::vector<std::string> spelled_out(int argc, char** argv) {
  std::vector<std::string> arguments(argv, argv + argc);
  if (argc < 2 || arguments[1] != "fuzz") return arguments;
  const auto dashes = std::ranges::find(arguments, "--");
  if (dashes == arguments.end()) return arguments;
  for (auto flag = arguments.erase(dashes); flag != arguments.end(); ++flag)
    flag->insert(0, "--libfuzzer=");
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program(kAbout, "indexfuzz");
  Run run;
  add_fuzz(program, run);
  add_replay(program, run);
  add_show(program, run);
  add_shrink(program, run);
  add_export(program, run);
  add_diagnose(program, run);
  add_bisect(program, run);
  add_status(program, run);
  add_merge(program, run);
  add_report(program, run);
  add_list(program, run);
  add_coverage(program, run);
  add_selftest(program, run);
  add_doctor(program, run);
  program.require_subcommand(1);
  program.footer(kExamples);
  program.set_version_flag(
      "--version", fmt::format("indexfuzz {} (torch {})", config::kVersion, config::kTorchVersion));
  const std::vector<std::string> arguments = spelled_out(argc, argv);
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  try {
    program.parse(static_cast<int>(pointers.size()), pointers.data());
    return run();
  } catch (const CLI::ParseError& error) {
    return explain(program, error, {arguments.begin() + 1, arguments.end()});
  } catch (const DeviceMissing& error) {
    return fail(error.what(), Reason::kDevice);
  } catch (const SetupError& error) {
    return fail(error.what());
  } catch (const StorageError& error) {
    return fail(error.what(), Reason::kStorage);
  } catch (const std::system_error& error) {
    // fmt throws it if stdout cannot be written. Otherwise a path or a thread failed in set-up.
    return fail(error.what(), std::ferror(stdout) == 0 ? Reason::kSetup : Reason::kStorage);
  } catch (const Interruption&) {
    return fail("interrupted", Reason::kInterrupted);
  } catch (const std::exception& error) {
    return fail(fmt::format("internal error: {}", error.what()));
  }
}
