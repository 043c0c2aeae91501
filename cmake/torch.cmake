# Finds the LibTorch inside a Python package `torch` and defines the targets torch::torch_cpu and torch::c10.
# Not find_package(Torch): its configuration demands a CUDA toolkit wherever the wheel was built with CUDA.

set(INDEXFUZZ_TORCH_DIR "" CACHE PATH "The folder of the Python package torch (SITE-PACKAGES/torch)")
set(INDEXFUZZ_PYTHON "" CACHE FILEPATH "The Python interpreter that imports this torch")

if(NOT INDEXFUZZ_TORCH_DIR)
  set(python "${INDEXFUZZ_PYTHON}")
  if(NOT python)
    set(python python3)
  endif()
  # Asks for the folder of the package without importing it, which would take more than a second.
  execute_process(
    COMMAND "${python}" -c
      "import importlib.util as u, os, sys; print(os.path.dirname(u.find_spec('torch').origin) + ';' + sys.executable)"
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT answer)
    message(FATAL_ERROR "${python} has no torch. Run scripts/bootstrap, which makes an environment that has one, "
      "or name the package's folder: -DINDEXFUZZ_TORCH_DIR=SITE-PACKAGES/torch")
  endif()
  list(GET answer 0 torch_dir)
  list(GET answer 1 torch_python)
else()
  set(torch_dir "${INDEXFUZZ_TORCH_DIR}")
  set(torch_python "${INDEXFUZZ_PYTHON}")
  if(NOT torch_python)  # ENVIRONMENT/lib/python3.N/site-packages/torch, where that is the form
    get_filename_component(environment "${torch_dir}/../../../.." ABSOLUTE)
    find_program(torch_python_beside python3 PATHS "${environment}/bin" NO_DEFAULT_PATH NO_CACHE)
    set(torch_python python3)
    if(torch_python_beside)
      set(torch_python "${torch_python_beside}")
    endif()
  endif()
endif()

foreach(file version.py lib/libtorch_cpu.so lib/libc10.so include/ATen/core/dispatch/Dispatcher.h)
  if(NOT EXISTS "${torch_dir}/${file}")
    message(FATAL_ERROR "${torch_dir} is no torch package to build with: it has no ${file}. "
      "Give -DINDEXFUZZ_TORCH_DIR=SITE-PACKAGES/torch of a wheel that has headers and libraries.")
  endif()
endforeach()

# The local part (+cu130) names the build, not the version that a ledger's ranges compare.
file(STRINGS "${torch_dir}/version.py" torch_version REGEX "^__version__")
string(REGEX REPLACE ".*'([0-9.]+[a-z0-9.]*).*" "\\1" torch_version "${torch_version}")
if(torch_version VERSION_LESS 2.7)
  message(FATAL_ERROR "torch ${torch_version} in ${torch_dir} is too old: wheels before 2.7 use the string ABI of "
    "before C++11, the system's RapidCheck and GoogleTest the new one. Use torch 2.7 or newer.")
endif()
message(STATUS "torch ${torch_version} in ${torch_dir}")

# A CUDA wheel's libtorch_cpu.so needs CUDA's runtime from packages beside it; the linker only has to find them.
file(GLOB cuda_lib_dirs "${torch_dir}/../nvidia/*/lib")
set(torch_link_options -Wl,--allow-shlib-undefined)
foreach(dir IN LISTS cuda_lib_dirs)
  list(APPEND torch_link_options "-Wl,-rpath-link,${dir}")
endforeach()

foreach(name c10 torch_cpu)
  add_library(torch::${name} SHARED IMPORTED)
  set_target_properties(torch::${name} PROPERTIES
    IMPORTED_LOCATION "${torch_dir}/lib/lib${name}.so"
    # torch/csrc/api/include is left out on purpose: <torch/torch.h> costs half a minute per file.
    INTERFACE_INCLUDE_DIRECTORIES "${torch_dir}/include"
    # Headers that need some ATen functions then include those, not all of them.
    INTERFACE_COMPILE_DEFINITIONS $<$<COMPILE_LANGUAGE:CXX>:AT_PER_OPERATOR_HEADERS>)
endforeach()
target_link_libraries(torch::torch_cpu INTERFACE torch::c10)
# --no-as-needed: by default Ubuntu's compiler drops a library of which no symbol is used. --enable-new-dtags: a RUNPATH,
# so that LD_LIBRARY_PATH can name the LibTorch of another machine.
target_link_options(torch::torch_cpu INTERFACE
  -Wl,--no-as-needed -Wl,--enable-new-dtags ${torch_link_options})
