#include "run/watch/process_state.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

namespace indexfuzz {
namespace {

// The signals that a program may handle. SIGTRAP is not among them, since native coverage handles
// it for a while.
constexpr int kSignals[] = {SIGINT,  SIGTERM, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,
                            SIGABRT, SIGPIPE, SIGUSR1, SIGUSR2, SIGCHLD, SIGALRM};

struct ProcessState {
  char path[PATH_MAX] = "";
  struct stat folder {};
  mode_t umask = 0;
  sigset_t blocked{};
  struct sigaction handling[std::size(kSignals)]{};
  std::string locale;
  cpu_set_t processors{};
  int priority = 0;
  std::vector<std::string> variables;
};
ProcessState at_start;

/// The current folder, identified by device and inode: its path changes if it is renamed.
struct stat current_folder() {
  struct stat status {};
  if (stat(".", &status) != 0) return at_start.folder;
  return status;
}

bool same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// The flags are not compared: glibc adds one when it puts an action back.
bool same(const struct sigaction& a, const struct sigaction& b) {
  return a.sa_sigaction == b.sa_sigaction;
}

std::string_view locale_now() {
  const char* const name = std::setlocale(LC_ALL, nullptr);
  return name == nullptr ? "" : name;
}

cpu_set_t processors_now() {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  sched_getaffinity(0, sizeof processors, &processors);
  return processors;
}

/// OpenMP libraries use such names to tell one another which of them is loaded.
bool is_somebodys_own(std::string_view variable) {
  return variable.starts_with("__");
}

std::vector<std::string> variables_now() {
  std::vector<std::string> variables;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    if (!is_somebodys_own(*at)) variables.emplace_back(*at);
  }
  return variables;
}

bool are_variables(const std::vector<std::string>& expected) {
  auto next = expected.begin();
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    if (is_somebodys_own(*at)) continue;
    if (next == expected.end() || *next != *at) return false;
    ++next;
  }
  return next == expected.end();
}

void set_variables(const std::vector<std::string>& variables) {
  for (const std::string& variable : variables_now())
    unsetenv(variable.substr(0, variable.find('=')).c_str());
  for (const std::string& variable : variables) {
    const std::size_t end = variable.find('=');
    if (end == std::string::npos) continue;
    setenv(variable.substr(0, end).c_str(), variable.c_str() + end + 1, 1);
  }
}

}  // namespace

void note_process_state() {
  at_start.folder = current_folder();
  if (getcwd(at_start.path, sizeof at_start.path) == nullptr) at_start.path[0] = '\0';
  at_start.umask = umask(0);  // it can be read only by setting it
  umask(at_start.umask);
  pthread_sigmask(SIG_BLOCK, nullptr, &at_start.blocked);
  for (std::size_t i = 0; i < std::size(kSignals); ++i)
    sigaction(kSignals[i], nullptr, &at_start.handling[i]);
  at_start.locale = locale_now();
  at_start.processors = processors_now();
  at_start.priority = getpriority(PRIO_PROCESS, 0);
  at_start.variables = variables_now();
}

void take_process_state_change(const std::function<void(std::string_view what)>& note) {
  if (!same(current_folder(), at_start.folder)) {
    note("the current folder");
    // If there is no way back, the next call must not be blamed for it.
    if (chdir(at_start.path) != 0 || !same(current_folder(), at_start.folder))
      at_start.folder = current_folder();
  }
  if (umask(at_start.umask) != at_start.umask) note("the umask");
  sigset_t blocked{};
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  if (std::memcmp(&blocked, &at_start.blocked, sizeof blocked) != 0) {
    note("which signals are blocked");
    pthread_sigmask(SIG_SETMASK, &at_start.blocked, nullptr);
  }
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    struct sigaction now {};
    sigaction(kSignals[i], nullptr, &now);
    if (same(now, at_start.handling[i])) continue;
    note(std::string("the handling of SIG") + sigabbrev_np(kSignals[i]));
    sigaction(kSignals[i], &at_start.handling[i], nullptr);
  }
  if (locale_now() != at_start.locale) {
    note("the locale");
    std::setlocale(LC_ALL, at_start.locale.c_str());
  }
  if (const cpu_set_t now = processors_now(); !CPU_EQUAL(&now, &at_start.processors)) {
    note("on which processors it may run");
    sched_setaffinity(0, sizeof at_start.processors, &at_start.processors);
    // Processors that the system has taken away do not come back.
    at_start.processors = processors_now();
  }
  if (getpriority(PRIO_PROCESS, 0) != at_start.priority) {
    note("its priority");
    // The process may lack the right to take it back: then the next call must not be blamed for it.
    if (setpriority(PRIO_PROCESS, 0, at_start.priority) != 0)
      at_start.priority = getpriority(PRIO_PROCESS, 0);
  }
  if (!are_variables(at_start.variables)) {
    note("environment variables");
    set_variables(at_start.variables);
    at_start.variables = variables_now();  // their order has changed
  }
}

}  // namespace indexfuzz
