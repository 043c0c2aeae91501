# The libFuzzer target: one program with a link for each operator, build/<operator>_fuzzer, with its seed corpus and its
# options beside it. Without libFuzzer it gets the main() of fuzz/replay_main.cpp.

add_library(indexfuzz_fuzz OBJECT fuzz/fuzz_target.cpp)
target_link_libraries(indexfuzz_fuzz PUBLIC indexfuzz_run)
add_library(indexfuzz_replay_main OBJECT fuzz/replay_main.cpp)

# A program with the main() of the library `main`.
function(indexfuzz_fuzz_target name main)
  indexfuzz_executable(${name} SOURCES fuzz/operator_fuzzer.cpp LINK indexfuzz_run indexfuzz_fuzz ${main})
  # Line tables would make up most of the size of these programs.
  target_link_options(${name} PRIVATE -Wl,--strip-debug)
endfunction()

if(libfuzzer_main)
  add_library(libfuzzer_main STATIC IMPORTED)
  set_target_properties(libfuzzer_main PROPERTIES IMPORTED_LOCATION "${libfuzzer_main}")
  indexfuzz_fuzz_target(operator_fuzzer libfuzzer_main)
  target_link_options(operator_fuzzer PRIVATE
    "-Wl,--export-dynamic-symbol=__sanitizer_*" "-Wl,--export-dynamic-symbol=__sancov_*")
else()
  indexfuzz_fuzz_target(operator_fuzzer indexfuzz_replay_main)
endif()

file(GLOB seeds CONFIGURE_DEPENDS LIST_DIRECTORIES true corpus/seeds/*)
file(GLOB seed_files CONFIGURE_DEPENDS corpus/seeds/*/*.case)
foreach(folder IN LISTS seeds)
  get_filename_component(operator ${folder} NAME)
  set(name ${operator}_fuzzer)
  # OSS-Fuzz expects these names.
  configure_file(fuzz/fuzzer.options ${PROJECT_BINARY_DIR}/${name}.options COPYONLY)
  add_custom_command(TARGET operator_fuzzer POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${name} ${name}_seed_corpus
    COMMAND ${CMAKE_COMMAND} -E create_symlink operator_fuzzer ${name}
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${folder} ${name}_seed_corpus
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
endforeach()
