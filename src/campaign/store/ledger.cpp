#include "campaign/store/ledger.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "campaign/failure.h"
#include "campaign/store/bounded_read.h"
#include "campaign/store/torch_version.h"
#include "case/strings/printable.h"
#include "case/strings/take_until.h"
#include "case/strings/toml_dots.h"
#include "case/strings/trimmed.h"

namespace indexfuzz {
namespace {

constexpr std::size_t kMostLedgerBytes = 4 << 20;
constexpr std::size_t kMostDots = 1000;  // a ledger needs none

struct Bound {
  std::string_view comparison;
  ReleaseNumbers version;
};

std::optional<Bound> parse_bound(std::string_view text) {
  text = trimmed(text);
  for (const std::string_view comparison : {">=", "<=", "==", "!=", ">", "<"}) {
    if (!text.starts_with(comparison)) continue;
    const std::string_view release = trimmed(text.substr(comparison.size()));
    // Such as ">=2.0 <2.7", in which the comma is missing: the numbers end at the first blank.
    if (release.find_first_of(" <>=!") != std::string_view::npos) return std::nullopt;
    const auto version = release_numbers(release);
    if (!version) return std::nullopt;
    return Bound{comparison, *version};
  }
  return std::nullopt;
}

bool satisfies(const ReleaseNumbers& version, const Bound& bound) {
  if (bound.comparison == ">=") return version >= bound.version;
  if (bound.comparison == "<=") return version <= bound.version;
  if (bound.comparison == "==") return version == bound.version;
  if (bound.comparison == "!=") return version != bound.version;
  if (bound.comparison == ">") return version > bound.version;
  return version < bound.version;
}

/// None if the range cannot be read.
std::optional<std::vector<Bound>> parse_range(std::string_view range) {
  std::vector<Bound> bounds;
  while (!trimmed(range).empty()) {
    const auto bound = parse_bound(take_until(range, ","));
    if (!bound) return std::nullopt;
    bounds.push_back(*bound);
  }
  return bounds;
}

[[noreturn]] void fail(const std::filesystem::path& file, const toml::source_region& where,
                       std::string_view what) {
  throw SetupError(fmt::format("{}:{}:{}: {}.", printable(file.string()), where.begin.line,
                               where.begin.column, what));
}

const toml::node& field(const toml::table& table, const char* key,
                        const std::filesystem::path& file) {
  const toml::node* node = table.get(key);
  if (node == nullptr) fail(file, table.source(), fmt::format("this finding has no `{}`", key));
  return *node;
}

std::string text_of(const toml::table& table, const char* key, const std::filesystem::path& file) {
  const toml::node& node = field(table, key, file);
  const auto* text = node.as_string();
  if (text == nullptr) fail(file, node.source(), fmt::format("`{}` must be a string", key));
  return text->get();
}

std::vector<std::string> devices_of(const toml::table& table, const std::filesystem::path& file) {
  const toml::node& node = field(table, "devices", file);
  const toml::array* list = node.as_array();
  if (list == nullptr) fail(file, node.source(), "`devices` must be a list of strings");
  if (list->empty()) fail(file, node.source(), "`devices` names none; there are cpu and cuda");
  std::vector<std::string> devices;
  for (const toml::node& device : *list) {
    if (!device.is_string()) fail(file, device.source(), "`devices` must be a list of strings");
    const std::string& name = device.as_string()->get();
    if (name != "cpu" && name != "cuda") {
      fail(file, device.source(),
           fmt::format("`{}` is not a device; there are cpu and cuda", printable(name)));
    }
    devices.push_back(name);
  }
  return devices;
}

LedgerEntry parse_entry(const toml::table& table, const std::filesystem::path& file) {
  for (const auto& [key, value] : table) {
    constexpr std::array known{"signature", "reason", "torch", "devices", "case"};
    if (std::ranges::find(known, key.str()) == known.end()) {
      fail(file, value.source(), fmt::format("a finding has no field `{}`", key.str()));
    }
  }
  LedgerEntry entry;
  entry.signature = text_of(table, "signature", file);
  entry.reason = text_of(table, "reason", file);
  entry.torch = text_of(table, "torch", file);
  if (const auto range = parse_range(entry.torch); !range || range->empty()) {
    fail(file, table.get("torch")->source(),
         fmt::format("`{}` is not a range of versions such as \">=2.0, <2.7\"", entry.torch));
  }
  entry.devices = devices_of(table, file);
  entry.case_file = file.parent_path() / text_of(table, "case", file);
  std::error_code error;
  if (!std::filesystem::is_regular_file(entry.case_file, error)) {
    fail(file, table.get("case")->source(),
         fmt::format("there is no case file {}", printable(entry.case_file.string())));
  }
  return entry;
}

/// Whether both may apply to one campaign, as far as their texts tell: two ranges that are written
/// differently are assumed to be disjoint.
bool overlap(const LedgerEntry& a, const LedgerEntry& b) {
  return a.torch == b.torch && std::ranges::find_first_of(a.devices, b.devices) != a.devices.end();
}

}  // namespace

std::vector<LedgerEntry> read_ledger(const std::filesystem::path& file) {
  const BoundedText read = read_bounded(file, kMostLedgerBytes, Links::kFollow);
  if (!read.is_read())
    throw SetupError(fmt::format("the ledger {} {}.", printable(file.string()), read.why));
  return parse_ledger(read.text, file);
}

std::vector<LedgerEntry> parse_ledger(std::string_view text, const std::filesystem::path& file) {
  if (dots_outside_strings(text) > kMostDots) {
    throw SetupError(
        fmt::format("{}: has keys of many parts; a ledger holds [[finding]] tables only.",
                    printable(file.string())));
  }
  std::vector<LedgerEntry> ledger;
  std::map<std::string, std::vector<std::size_t>> by_signature;
  std::vector<toml::source_index> lines;
  try {
    const toml::table root = toml::parse(text, file.string());
    for (const auto& [key, value] : root) {
      const toml::array* findings = value.as_array();
      if (key.str() != "finding" || findings == nullptr) {
        fail(file, value.source(), "a ledger holds [[finding]] tables only");
      }
      for (const toml::node& node : *findings) {
        if (!node.is_table()) fail(file, node.source(), "a ledger holds [[finding]] tables only");
        LedgerEntry entry = parse_entry(*node.as_table(), file);
        auto& same = by_signature[entry.signature];
        for (const std::size_t other : same) {
          if (!overlap(ledger[other], entry)) continue;
          fail(file, node.source(),
               fmt::format("the finding of line {} has the same signature; give them ranges of "
                           "torch or devices that tell them apart, or remove one",
                           lines[other]));
        }
        same.push_back(ledger.size());
        lines.push_back(node.source().begin.line);
        ledger.push_back(std::move(entry));
      }
    }
  } catch (const toml::parse_error& error) {
    fail(file, error.source(), error.description());
  }
  return ledger;
}

bool in_range(std::string_view version, std::string_view range) {
  const auto parsed = release_numbers(version);
  const auto bounds = parse_range(range);
  if (!parsed || !bounds) return false;
  return std::ranges::all_of(*bounds,
                             [&](const Bound& bound) { return satisfies(*parsed, bound); });
}

bool applies(const LedgerEntry& entry, std::string_view torch, std::string_view device) {
  return std::ranges::find(entry.devices, device) != entry.devices.end() &&
         in_range(torch, entry.torch);
}

const LedgerEntry* find_entry(std::span<const LedgerEntry> ledger, std::string_view signature,
                              std::string_view torch, std::string_view implementation) {
  const std::string device = device_of(implementation);
  const std::string named = fmt::format(" on {}: ", implementation);
  const auto at = signature.find(named);
  for (const std::string_view name : listed_names(implementation)) {
    std::string listed(signature);
    if (at != std::string_view::npos)
      listed.replace(at, named.size(), fmt::format(" on {}: ", name));
    for (const LedgerEntry& entry : ledger) {
      if (entry.signature == listed && applies(entry, torch, device)) return &entry;
    }
  }
  return nullptr;
}

std::string_view listed_name(std::string_view implementation) {
  const auto number = implementation.find_last_not_of("0123456789");
  const bool has_number = number != std::string_view::npos && number + 1 < implementation.size();
  return has_number && implementation[number] == ':' ? implementation.substr(0, number)
                                                     : implementation;
}

std::vector<std::string_view> listed_names(std::string_view implementation) {
  std::vector<std::string_view> names{listed_name(implementation)};
  if (implementation == "form:nested_vmap") names.push_back("form:vmap");
  return names;
}

std::string device_of(std::string_view implementation) {
  std::string_view device = "cpu";
  if (implementation.starts_with("aten:") && !implementation.starts_with("aten::")) {
    device = implementation.substr(5);
  } else if (const auto at = implementation.find('@'); at != std::string_view::npos) {
    device = implementation.substr(at + 1);
  }
  // Calls without data are made on the CPU.
  if (device == "meta") device = "cpu";
  return std::string(device.substr(0, device.find(':')));
}

}  // namespace indexfuzz
