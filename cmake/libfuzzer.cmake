# Finds the archives of libFuzzer (Debian, Ubuntu: libclang-rt-19-dev). They use the system's libstdc++, so that programs
# of either compiler link them, and clang itself need not be there.
#   libfuzzer_no_main  libFuzzer as a library; empty where there is none
#   libfuzzer_main     with its main()

set(INDEXFUZZ_LIBFUZZER "" CACHE FILEPATH "libclang_rt.fuzzer_no_main-ARCH.a; empty: that of the newest clang here")
set(libfuzzer_no_main "${INDEXFUZZ_LIBFUZZER}")
if(NOT libfuzzer_no_main)
  # The architecture is in the file's name or in the folder's.
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
