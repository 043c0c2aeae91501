#pragma once
// One function per subcommand. It declares the options and lets the parser store, in `run`, the
// function that runs the command. That one returns the exit code and may throw SetupError,
// DeviceMissing, StorageError and Interruption.

#include <CLI/CLI.hpp>

#include <functional>

namespace indexfuzz {

using Run = std::function<int()>;

void add_fuzz(CLI::App& program, Run& run);
void add_replay(CLI::App& program, Run& run);
void add_show(CLI::App& program, Run& run);
void add_shrink(CLI::App& program, Run& run);
void add_export(CLI::App& program, Run& run);
void add_diagnose(CLI::App& program, Run& run);
void add_bisect(CLI::App& program, Run& run);
void add_status(CLI::App& program, Run& run);
void add_merge(CLI::App& program, Run& run);
void add_report(CLI::App& program, Run& run);
void add_list(CLI::App& program, Run& run);
void add_coverage(CLI::App& program, Run& run);
void add_selftest(CLI::App& program, Run& run);
void add_doctor(CLI::App& program, Run& run);

}  // namespace indexfuzz
