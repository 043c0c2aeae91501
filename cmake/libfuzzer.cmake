# Finds the archives of libFuzzer that come with clang (Debian: clang-19, libclang-rt-19-dev). They use the system's
# libstdc++, so that programs of either compiler link them.
#   libfuzzer_no_main  libFuzzer as a library; empty where there is none
#   libfuzzer_main     with its main()

set(INDEXFUZZ_LIBFUZZER "" CACHE FILEPATH "libclang_rt.fuzzer_no_main-ARCH.a; empty: that of the newest clang here")
set(libfuzzer_no_main "${INDEXFUZZ_LIBFUZZER}")
foreach(compiler clang++-21 clang++-20 clang++-19 clang++-18 clang++)
  if(libfuzzer_no_main)
    break()
  endif()
  find_program(clang_with_libfuzzer NAMES ${compiler} NO_CACHE)
  if(clang_with_libfuzzer)
    execute_process(COMMAND "${clang_with_libfuzzer}" -print-resource-dir
      OUTPUT_VARIABLE resources OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    # The target is in the folder's name or in the file's.
    file(GLOB archives "${resources}/lib/linux/libclang_rt.fuzzer_no_main-${CMAKE_SYSTEM_PROCESSOR}.a"
      "${resources}/lib/${CMAKE_SYSTEM_PROCESSOR}-*/libclang_rt.fuzzer_no_main.a")
    list(APPEND archives "")
    list(GET archives 0 libfuzzer_no_main)
  endif()
  unset(clang_with_libfuzzer)
endforeach()
string(REPLACE "fuzzer_no_main" "fuzzer" libfuzzer_main "${libfuzzer_no_main}")
if(libfuzzer_no_main)
  message(STATUS "libFuzzer: ${libfuzzer_no_main}")
else()
  message(STATUS "libFuzzer: none, so there is no coverage engine (clang-19 and libclang-rt-19-dev have it)")
endif()
