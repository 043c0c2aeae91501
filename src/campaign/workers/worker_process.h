#pragma once
// The program that runs the kernels, as a process.

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "campaign/store/contract_file.h"

namespace indexfuzz {

/// The command line of a zygote, without the file descriptors.
struct WorkerCommand {
  std::string executable;
  std::vector<std::string> libraries;            ///< --load, absolute
  std::vector<std::string> implementations;      ///< --impl; none: all that work here
  std::vector<std::string> operators;            ///< --operator; none: all
  std::shared_ptr<const ContractFile> contract;  ///< --contract, its text; null: none
  bool native_coverage = false;                  ///< --native-coverage
  std::int64_t device_memory = 0;                ///< Job::device_memory of jobs that set none
};

/// indexfuzz-worker beside this program, or in ../libexec/indexfuzz. Throws SetupError.
std::string find_worker_executable();

/// Starts the program by exec in a session of its own, with its standard output and error in
/// `output`; it dies with the calling thread. Its OpenMP threads sleep while they wait, unless
/// OMP_WAIT_POLICY says otherwise. Returns -1 if it cannot be forked; if exec fails,
/// `output` says why.
pid_t start_worker(const WorkerCommand& command, int control, int memory, int output);

}  // namespace indexfuzz
