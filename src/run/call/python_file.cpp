#include "run/call/python_file.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "run/call/python_libraries.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

/// Reads `packages`; sets `error`, a string, to what was raised.
constexpr const char* kImportTorch = R"py(
error = ""
try:
    import sys
    sys.path.insert(0, packages)  # no other torch
    import torch
    import torch._dynamo  # which else the first call would do, in each child
except BaseException as raised:
    error = f"Python cannot import torch: {type(raised).__name__}: {raised}"
)py";

/// Reads `path`, `packages` and `python`; sets `error`, a string, to what the file raised and
/// where.
constexpr const char* kImport = R"py(
error = ""
try:
    import importlib, os, shlex, sys, traceback
    sys.path.insert(0, packages)  # no other torch
    import torch
    known = len(torch._library.custom_ops.OPDEFS)
    folder, file = os.path.split(path)
    sys.path.insert(0, folder)
    found = importlib.import_module(os.path.splitext(file)[0])
    if os.path.realpath(found.__file__ or "") != os.path.realpath(path):
        error = f"Python has another module of that name, {found.__file__}; rename the file"
    elif torch.cuda.is_initialized():
        error = "it starts CUDA as it is imported, which no process that forks can share; do that in the kernel"
    if len(torch._library.custom_ops.OPDEFS) > known:
        import torch._dynamo  # which else the first call would do, in each child
    sys.stdout.flush()
except BaseException as raised:
    lines = [frame.lineno for frame in traceback.extract_tb(raised.__traceback__) if frame.filename == path]
    if isinstance(raised, SyntaxError) and raised.filename == path:
        lines = [raised.lineno]
    place = f"line {lines[-1]} " if lines else "it "
    said = ": ".join(filter(None, [type(raised).__name__, " ".join(str(raised).split())]))
    error = f'{place}raised {said}; "{shlex.join([python, path])}" shows more'
)py";

/// The part of Python's C interface that is used; its headers need not be installed.
struct Interpreter {
  void (*set_program_name)(const wchar_t*);  ///< null from Python 3.15 on
  void (*initialize)(int with_signal_handlers);
  void* (*save_thread)();
  int (*ensure)();
  void (*release)(int);
  void* (*add_module)(const char*);
  void* (*decode)(const char*);
  int (*set_attribute)(void*, const char*, void*);
  void* (*attribute)(void*, const char*);
  const char* (*text)(void*);
  int (*run)(const char*);
  int (*is_held)();
  void (*before_fork)();
  void (*after_fork_in_parent)();
  void (*after_fork_in_child)();
};

Interpreter python;

template <typename F>
bool find(F& function, const char* name) {
  function = reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

bool find_all() {
  find(python.set_program_name, "Py_SetProgramName");
  return find(python.initialize, "Py_InitializeEx") &&
         find(python.save_thread, "PyEval_SaveThread") &&
         find(python.ensure, "PyGILState_Ensure") && find(python.release, "PyGILState_Release") &&
         find(python.add_module, "PyImport_AddModule") &&
         find(python.decode, "PyUnicode_DecodeFSDefault") &&
         find(python.set_attribute, "PyObject_SetAttrString") &&
         find(python.attribute, "PyObject_GetAttrString") &&
         find(python.text, "PyUnicode_AsUTF8") && find(python.run, "PyRun_SimpleString") &&
         find(python.is_held, "PyGILState_Check") && find(python.before_fork, "PyOS_BeforeFork") &&
         find(python.after_fork_in_parent, "PyOS_AfterFork_Parent") &&
         find(python.after_fork_in_child, "PyOS_AfterFork_Child");
}

/// Lets a thread that forks hold the interpreter meanwhile. Otherwise a thread that the file
/// started might hold it, and in the child, which lacks that thread, it would be held for ever.
/// Python does this in its own forks anyway.
void take_along_in_forks() {
  static std::optional<int> held;
  const auto before = [] {
    held.reset();
    if (python.is_held() != 0) return;
    held = python.ensure();
    python.before_fork();
  };
  const auto in_parent = [] {
    if (!held) return;
    python.after_fork_in_parent();
    python.release(*held);
  };
  const auto in_child = [] {
    if (!held) return;
    python.after_fork_in_child();
    python.release(*held);
  };
  pthread_atfork(before, in_parent, in_child);
}

/// Empty, or the part of a sentence that says what is missing.
std::string start() {
  if (std::string missing = load_python_libraries(); !missing.empty()) return missing;
  if (!find_all()) return "its Python lacks a part of the C interface";
  // NumPy would start threads in this process, which forks.
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  // Python finds its modules by the place of its program, and keeps the string.
  static std::wstring program;
  program = fs::path(python_program()).wstring();
  if (python.set_program_name != nullptr && !program.empty())
    python.set_program_name(program.c_str());
  constexpr int kNoSignalHandlers = 0;
  python.initialize(kNoSignalHandlers);
  python.save_thread();
  take_along_in_forks();
  return {};
}

/// Runs one of the texts above in the interpreter, which it starts if there is none yet. Empty, or
/// the part of a sentence that says why it cannot, or what the text set as `error`.
std::string run(const char* text, const std::string& path) {
  if (python.run == nullptr) {
    if (std::string missing = start(); !missing.empty()) {
      python = {};
      return missing;
    }
  }
  const int held = python.ensure();
  void* const main = python.add_module("__main__");
  python.set_attribute(main, "path", python.decode(path.c_str()));
  python.set_attribute(main, "packages", python.decode(python_packages().c_str()));
  python.set_attribute(main, "python", python.decode(python_program().c_str()));
  std::string error = "Python could not run it";
  if (python.run(text) == 0) {
    void* const said = python.attribute(main, "error");
    const char* const words = said == nullptr ? nullptr : python.text(said);
    if (words != nullptr) error = words;
  }
  python.release(held);
  return error;
}

}  // namespace

std::string import_python_file(const std::string& path) {
  const std::string cannot = path + " cannot be loaded: ";
  if (access(path.c_str(), R_OK) != 0) return cannot + "it cannot be read";
  const std::string error = run(kImport, fs::canonical(path));
  return error.empty() ? "" : cannot + error;
}

std::string import_python_torch() {
  return run(kImportTorch, {});
}

}  // namespace indexfuzz
