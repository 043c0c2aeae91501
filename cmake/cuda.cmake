# Enables CUDA if there are a toolkit and a torch with CUDA of the same major version. Then it defines the targets
# torch::c10_cuda, torch::torch_cuda and torch::cudart. Sets INDEXFUZZ_CUDA and prints one line about what it found.

set(INDEXFUZZ_CUDA OFF)
find_program(nvcc nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin NO_CACHE)
# The CUDA runtime that torch itself loads: a process with two runtimes would have two current devices.
file(GLOB cudart "${torch_dir}/../nvidia/*/lib/libcudart.so.[0-9]*" "${torch_dir}/lib/libcudart*.so.[0-9]*")
if(CMAKE_CUDA_COMPILER)
  set(nvcc "${CMAKE_CUDA_COMPILER}")
endif()

if(NOT EXISTS "${torch_dir}/lib/libc10_cuda.so" OR NOT cudart)
  set(without_cuda "this torch has none")
elseif(NOT nvcc)
  set(without_cuda "no nvcc in PATH or in /usr/local/cuda")
else()
  list(GET cudart 0 cudart)
  get_filename_component(cudart "${cudart}" REALPATH)
  string(REGEX REPLACE ".*[.]so[.]([0-9]+).*" "\\1" cudart_major "${cudart}")
  execute_process(COMMAND "${nvcc}" --version OUTPUT_VARIABLE nvcc_version ERROR_QUIET)
  if(NOT nvcc_version MATCHES "release ([0-9]+)[.]")
    set(without_cuda "${nvcc} does not tell its version")
  elseif(NOT CMAKE_MATCH_1 STREQUAL cudart_major)
    set(without_cuda "${nvcc} is of CUDA ${CMAKE_MATCH_1}, torch of CUDA ${cudart_major}")
  endif()
endif()

if(without_cuda)
  message(STATUS "Building without CUDA: ${without_cuda}")
  return()
endif()

set(CMAKE_CUDA_COMPILER "${nvcc}")
# 80 runs on the GPUs between Turing and Hopper that CUDA 13 supports, 90 on Hopper. Later GPUs compile the PTX of 90.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES "80-real;90")
endif()
# Not the toolkit's runtime: torch's is linked below.
set(CMAKE_CUDA_RUNTIME_LIBRARY None)
if(CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()
enable_language(CUDA)
# CMake 3.25 does not know this flag of nvcc.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CUDA_FLAGS_RELWITHDEBINFO "-O3 -DNDEBUG")
set(INDEXFUZZ_CUDA ON)
message(STATUS "Building with CUDA ${CMAKE_CUDA_COMPILER_VERSION}, for architectures ${CMAKE_CUDA_ARCHITECTURES}")

get_filename_component(cudart_dir "${cudart}" DIRECTORY)
add_library(torch::cudart SHARED IMPORTED)
set_target_properties(torch::cudart PROPERTIES
  IMPORTED_LOCATION "${cudart}"
  INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES}")
foreach(name c10_cuda torch_cuda)
  add_library(torch::${name} SHARED IMPORTED)
  set_target_properties(torch::${name} PROPERTIES IMPORTED_LOCATION "${torch_dir}/lib/lib${name}.so")
  target_link_libraries(torch::${name} INTERFACE torch::torch_cpu torch::cudart)
endforeach()
target_link_libraries(torch::torch_cuda INTERFACE torch::c10_cuda)
