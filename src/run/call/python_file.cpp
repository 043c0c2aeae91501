#include "run/call/python_file.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "run/call/python_libraries.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

/// Reads `path` and `packages`; sets `error`, a string, to what the file raised and where.
constexpr const char* kImport = R"py(
error = ""
try:
    import importlib, os, sys, traceback
    sys.path.insert(0, packages)  # no other torch
    import torch
    folder, file = os.path.split(path)
    sys.path.insert(0, folder)
    found = importlib.import_module(os.path.splitext(file)[0])
    if os.path.realpath(found.__file__ or "") != os.path.realpath(path):
        error = f"Python has another module of that name, {found.__file__}; rename the file"
    elif torch.cuda.is_initialized():
        error = "it starts CUDA as it is imported, which no process that forks can share; do that in the kernel"
    sys.stdout.flush()
except BaseException as raised:
    lines = [frame.lineno for frame in traceback.extract_tb(raised.__traceback__) if frame.filename == path]
    if isinstance(raised, SyntaxError) and raised.filename == path:
        lines = [raised.lineno]
    place = f"line {lines[-1]} " if lines else "it "
    said = " ".join(str(raised).split())
    error = f'{place}raised {type(raised).__name__}: {said}; "{python} {path}" shows more'
)py";

/// What of Python's C interface is used; its headers need not be there.
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
};

template <typename F>
bool find(F& function, const char* name) {
  function = reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

bool find_all(Interpreter& python) {
  find(python.set_program_name, "Py_SetProgramName");
  return find(python.initialize, "Py_InitializeEx") &&
         find(python.save_thread, "PyEval_SaveThread") &&
         find(python.ensure, "PyGILState_Ensure") && find(python.release, "PyGILState_Release") &&
         find(python.add_module, "PyImport_AddModule") &&
         find(python.decode, "PyUnicode_DecodeFSDefault") &&
         find(python.set_attribute, "PyObject_SetAttrString") &&
         find(python.attribute, "PyObject_GetAttrString") &&
         find(python.text, "PyUnicode_AsUTF8") && find(python.run, "PyRun_SimpleString");
}

/// Empty, or the part of a sentence that says what is missing.
std::string start(Interpreter& python) {
  if (std::string missing = load_python_libraries(); !missing.empty()) return missing;
  if (!find_all(python)) return "its Python lacks a part of the C interface";
  // NumPy's would be threads of this process, which forks.
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  // It finds its modules by where its program lies; it keeps the string.
  static std::wstring program;
  program = fs::path(python_program()).wstring();
  if (python.set_program_name != nullptr && !program.empty())
    python.set_program_name(program.c_str());
  constexpr int kNoSignalHandlers = 0;
  python.initialize(kNoSignalHandlers);
  python.save_thread();
  return {};
}

}  // namespace

std::string import_python_file(const std::string& path) {
  static Interpreter python{};
  const std::string cannot = path + " cannot be loaded: ";
  if (access(path.c_str(), R_OK) != 0) return cannot + "it cannot be read";
  if (python.run == nullptr) {
    if (const std::string missing = start(python); !missing.empty()) {
      python = {};
      return cannot + missing;
    }
  }
  const int held = python.ensure();
  void* const main = python.add_module("__main__");
  python.set_attribute(main, "path", python.decode(fs::canonical(path).c_str()));
  python.set_attribute(main, "packages", python.decode(python_packages().c_str()));
  python.set_attribute(main, "python", python.decode(python_program().c_str()));
  std::string error = "Python could not run it";
  if (python.run(kImport) == 0) {
    void* const said = python.attribute(main, "error");
    const char* const text = said == nullptr ? nullptr : python.text(said);
    if (text != nullptr) error = text;
  }
  python.release(held);
  return error.empty() ? "" : cannot + error;
}

}  // namespace indexfuzz
