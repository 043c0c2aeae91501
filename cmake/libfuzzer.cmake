# Finds the archives of libFuzzer (Debian, Ubuntu: libclang-rt-19-dev). They use the system's libstdc++, so that they link
# into programs of g++ as well as of clang; clang itself is not needed.
#   libfuzzer_no_main  libFuzzer as a library; empty if there is none
#   libfuzzer_main     with its main()

set(INDEXFUZZ_LIBFUZZER "" CACHE FILEPATH "libclang_rt.fuzzer_no_main-ARCH.a; empty: that of the newest clang here")
set(libfuzzer_no_main "${INDEXFUZZ_LIBFUZZER}")
if(NOT libfuzzer_no_main)
  # The architecture is part of the file's name or of the folder's.
  file(GLOB archives
    "/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer_no_main-${CMAKE_SYSTEM_PROCESSOR}.a"
    "/usr/lib/llvm-*/lib/clang/*/lib/${CMAKE_SYSTEM_PROCESSOR}-*/libclang_rt.fuzzer_no_main.a")
  if(archives)
    list(SORT archives COMPARE NATURAL ORDER DESCENDING)
    list(GET archives 0 libfuzzer_no_main)
  endif()
endif()
string(REPLACE "fuzzer_no_main" "fuzzer" libfuzzer_main "${libfuzzer_no_main}")
if(libfuzzer_no_main)
  message(STATUS "libFuzzer: ${libfuzzer_no_main}")
else()
  message(STATUS "libFuzzer: none, so there is no coverage engine (libclang-rt-19-dev has it)")
endif()
