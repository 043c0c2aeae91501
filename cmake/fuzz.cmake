# The libFuzzer targets of fuzz/, one per operator: build/<operator>_fuzzer, with its seed corpus and its options beside
# it. Without libFuzzer they get the main() of fuzz/replay_main.cpp.

file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/*_fuzzer.cpp)
add_library(indexfuzz_fuzz OBJECT fuzz/fuzz_target.cpp)
target_link_libraries(indexfuzz_fuzz PUBLIC indexfuzz_run)
add_library(indexfuzz_replay_main OBJECT fuzz/replay_main.cpp)

# The executable of one target. `main`: the library that holds its main().
function(indexfuzz_fuzz_target name source main)
  indexfuzz_executable(${name} SOURCES ${source} LINK indexfuzz_run indexfuzz_fuzz ${main})
  # Line tables would make up most of the size of these programs.
  target_link_options(${name} PRIVATE -Wl,--strip-debug)
endfunction()

if(libfuzzer_main)
  add_library(libfuzzer_main STATIC IMPORTED)
  set_target_properties(libfuzzer_main PROPERTIES IMPORTED_LOCATION "${libfuzzer_main}")
  set(fuzz_main libfuzzer_main)
else()
  set(fuzz_main indexfuzz_replay_main)
endif()
foreach(source IN LISTS fuzz_sources)
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "_fuzzer$" "" operator ${name})
  indexfuzz_fuzz_target(${name} ${source} ${fuzz_main})
  if(libfuzzer_main)
    target_link_options(${name} PRIVATE
      "-Wl,--export-dynamic-symbol=__sanitizer_*" "-Wl,--export-dynamic-symbol=__sancov_*")
  endif()
  # OSS-Fuzz expects these names.
  configure_file(fuzz/fuzzer.options ${PROJECT_BINARY_DIR}/${name}.options COPYONLY)
  set(seeds ${PROJECT_SOURCE_DIR}/corpus/seeds/${operator})
  file(GLOB seed_files CONFIGURE_DEPENDS ${seeds}/*.case)
  add_custom_command(TARGET ${name} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${name}_seed_corpus
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${seeds} ${name}_seed_corpus
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
endforeach()
