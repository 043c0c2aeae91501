#include "run/native/native_coverage.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "run/native/basic_blocks.h"
#include "run/native/elf_functions.h"
#include "run/native/native_names.h"
#include "run/native/traps.h"

namespace indexfuzz {
namespace {

constexpr std::size_t kCounters = 1024;
alignas(64) __attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t counters[kCounters];

void set_text(std::span<char> field, const std::string& text) {
  std::snprintf(field.data(), field.size(), "%s", text.c_str());
}

/// The names of ATen's operators; "index_put" stands for index_put_ too.
std::vector<std::string> aten_operators() {
  constexpr std::string_view kNamespace = "aten::";
  std::vector<std::string> names;
  for (const c10::OperatorName& op : c10::Dispatcher::singleton().getAllOpNames()) {
    if (!op.name.starts_with(kNamespace)) continue;
    std::string name = op.name.substr(kNamespace.size());
    if (name.ends_with('_')) name.pop_back();
    names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// Fills a map with the functions that it meets, one number for each.
class Describer {
 public:
  Describer(NativeCoverageMap& map, std::span<const OperatorInfo* const> asked)
      : map_(map), aten_(aten_operators()) {
    for (const OperatorInfo* op : asked) asked_.emplace_back(op->name);
  }

  /// The number of the function to whose code a symbol belongs; none if it is not one of ATen's
  /// indexing functions or the map is full.
  std::optional<std::uint16_t> number_of(const std::string& mangled) {
    const auto [entry, is_new] = names_.try_emplace(mangled);
    if (is_new) entry->second = indexing_function(mangled);
    const std::string& name = entry->second;
    if (name.empty()) return std::nullopt;
    const auto [known, first] =
        numbers_.try_emplace(name, static_cast<std::uint16_t>(map_.functions));
    if (first) {
      if (map_.functions == kMaxNativeFunctions) {
        numbers_.erase(known);
        return std::nullopt;
      }
      NativeFunction& function = map_.function[map_.functions++];
      set_text(function.name, name);
      function.under_test = is_code_of(name, asked_, aten_) ? 1 : 0;
    }
    return known->second;
  }

 private:
  NativeCoverageMap& map_;
  std::vector<std::string> aten_, asked_;
  std::map<std::string, std::string> names_;  ///< by symbol, which may occur several times
  std::map<std::string, std::uint16_t> numbers_;
};

std::vector<std::uint8_t*> describe_blocks(NativeCoverageMap& map,
                                           std::span<const OperatorInfo* const> asked,
                                           std::span<const ElfFunction> functions) {
  Describer describer(map, asked);
  BlockFinder finder;
  std::vector<std::uint8_t*> blocks;
  for (const ElfFunction& function : functions) {
    const auto number = describer.number_of(function.name);
    if (!number) continue;
    const auto starts = finder.find(function.code);
    if (starts.empty() || starts.size() > kMaxNativeBlocks - blocks.size()) {
      ++map.skipped;
      continue;
    }
    ++map.function[*number].parts;
    map.begins_part[blocks.size()] = 1;
    for (const std::uint32_t start : starts) {
      map.function_of[blocks.size()] = *number;
      blocks.push_back(function.code.data() + start);
    }
  }
  return blocks;
}

}  // namespace

void install_native_coverage(NativeCoverageMap& map, std::span<const OperatorInfo* const> asked) {
  const std::string cannot = "native coverage is off: ";
#if defined(__x86_64__)
  const LoadedLibrary library = find_loaded_library("libtorch_cpu.so");
  if (library.path.empty())
    return set_text(map.error, cannot + "no libtorch_cpu.so is loaded, as in a static build.");
  const ElfFunctions found = functions_of(library, &is_indexing_name);
  if (!found.error.empty()) return set_text(map.error, cannot + found.error + ".");
  std::vector<std::uint8_t*> blocks = describe_blocks(map, asked, found.functions);
  if (blocks.empty())
    return set_text(map.error,
                    cannot + library.path + " names no indexing function of at::native.");
  const auto count = static_cast<std::uint32_t>(blocks.size());
  const TrapNotes notes{{map.reached, count}, counters};
  const std::string error = set_traps(library.code, std::move(blocks), notes);
  if (!error.empty()) return set_text(map.error, cannot + error + ".");
  map.blocks = count;
#else
  (void)asked;
  set_text(map.error,
           cannot + "its traps are instructions of x86-64, and this is another processor.");
#endif
}

std::span<std::uint8_t> native_counters() {
  return counters;
}

}  // namespace indexfuzz
