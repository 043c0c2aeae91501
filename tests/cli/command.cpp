#include "command.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "campaign/programs/toolchain.h"
#include "indexfuzz_config.h"

namespace indexfuzz {

namespace fs = std::filesystem;

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "indexfuzz-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder " + name);
  folder_ = name;
}

Scratch::~Scratch() {
  std::error_code error;
  fs::remove_all(folder_, error);
}

std::string Scratch::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
  return *this / name;
}

Command::Command(const Arguments& arguments) {
  const std::string program = std::string(config::kBuildDir) + "/indexfuzz";
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const std::string out = output_ / "out", err = output_ / "err";
  pid_ = fork();
  if (pid_ != 0) return;
  dup2(open("/dev/null", O_RDONLY), 0);
  dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
  execv(argv[0], argv.data());
  _exit(127);
}

Command::~Command() {
  if (pid_ <= 0) return;
  signal(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Command::signal(int number) const {
  kill(pid_, number);
}

std::string Command::err() const {
  return read_text(output_ / "err");
}

Ended Command::wait(std::chrono::seconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) signal(SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  pid_ = -1;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status),
          read_text(output_ / "out"), err()};
}

Ended run(Subprocess& program) {
  const ProgramEnd end = program.wait();
  const int code = end.how == ProgramEnd::How::kExited ? end.code : 1000 + end.code;
  return {code, program.output(), ""};
}

Ended run(const Arguments& arguments) {
  return Command(arguments).wait();
}

bool lacks_torch() {
  if (default_python().empty()) return true;
  Subprocess program({default_python(), "-c", "import torch"}, std::chrono::minutes(2));
  return run(program).code != 0;
}

std::string read_text(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

nlohmann::json read_json(const fs::path& file) {
  return nlohmann::json::parse(read_text(file), nullptr, false);
}

std::string ledger_entry(const std::string& signature, const std::string& case_file) {
  return "[[finding]]\nsignature = '" + signature +
         "'\nreason = 'planted'\ntorch = '>=2.0'\ndevices = ['cpu']\ncase = '" + case_file + "'\n";
}

std::string planted_library() {
  return std::string(config::kBuildDir) + "/libindexfuzz_planted.so";
}

PlantedKernel catalogued(const std::string& name) {
  for (const PlantedKernel& kernel :
       read_catalogue(std::filesystem::path(config::kSourceDir) / "src/planted/catalogue.toml")) {
    if (kernel.name == name) return kernel;
  }
  ADD_FAILURE() << name << " is not in the catalogue";
  return {};
}

Arguments fuzz_one(const std::string& op, const std::string& kernel, const std::string& out,
                   const Arguments& more) {
  Arguments all{"fuzz",   op,  "--load",      planted_library(), "--impl", kernel,
                "--jobs", "1", "--no-ledger", "--no-verify",     "--out",  out};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace indexfuzz
