#include "campaign/store/store.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "campaign/store/bounded_read.h"
#include "campaign/store/folder_entries.h"
#include "campaign/store/json_text.h"

namespace indexfuzz {
namespace {

// Of a file of a finding that is read back.
constexpr std::size_t kMostFileBytes = 1 << 20;

namespace fs = std::filesystem;

fs::path made(fs::path folder) {
  std::error_code error;
  fs::create_directories(folder / "findings", error);
  if (error) {
    throw SetupError(
        fmt::format("cannot create the folder {}: {}.", folder.string(), error.message()));
  }
  // Beyond a limit on file sizes, a write then fails as on a full disk: no signal ends the process.
  signal(SIGXFSZ, SIG_IGN);
  return folder;
}

/// Removes what earlier processes left unfinished; only for the owner of the folder's lock.
fs::path cleaned(const fs::path& folder) {
  remove_leftovers(folder);
  remove_leftovers(folder / "findings");
  for (const fs::path& finding : entries_of(folder / "findings")) remove_leftovers(finding);
  for (const fs::path& op : entries_of(folder / "corpus")) remove_leftovers(op);
  return folder;
}

fs::path reserve_of(const fs::path& folder) {
  return folder / ".reserve";
}

bool is_whole(const fs::path& finding, const std::map<std::string, std::string>& files) {
  return std::ranges::all_of(files, [&](const auto& file) {
    std::error_code error;
    const fs::path path = finding / file.first;
    return fs::is_regular_file(path, error) && fs::file_size(path, error) > 0;
  });
}

}  // namespace

Store::Store(fs::path folder) try
    : folder_(made(std::move(folder))),
      lock_(folder_),
      reserve_(reserve_of(cleaned(folder_))),
      log_(folder_),
      earlier_(entries_of(folder_ / "findings").size()) {
} catch (const DiskFull& full) {
  throw SetupError(fmt::format("{} {} MiB of disk are set aside for findings; make room for them.",
                               full.what(), Reserve::kBytes >> 20));
}

/// Runs `write`, and again without the reserve if the disk is full.
template <typename Write>
void Store::with_reserve(Write&& write) {
  try {
    write();
  } catch (const DiskFull& full) {
    if (!reserve_.give_up()) throw;
    trouble_ = fmt::format("{} What was found is kept on the space set aside for it.", full.what());
    write();
  } catch (const StorageError& failure) {
    trouble_ = failure.what();
    throw;
  }
}

bool Store::save_finding(const std::string& id, const std::map<std::string, std::string>& files) {
  const fs::path target = finding(id);
  if (is_whole(target, files)) return false;
  // What is left of a damaged finding of this id may still be wanted.
  move_below_quarantine(target, fs::path("findings") / id);
  with_reserve([&] { write_whole_folder(target, files); });
  return true;
}

void Store::update_finding(const std::string& id, const nlohmann::ordered_json& fields) {
  const fs::path file = finding(id) / "finding.json";
  auto json = parse_json(read_bounded(file, kMostFileBytes, Links::kRefuse).text);
  if (!json.is_object()) return;
  json.update(fields);
  with_reserve([&] { write_whole(file, json_text(json)); });
}

void Store::mark_withdrawn(const std::string& id, const std::string& why) {
  const fs::path file = finding(id) / "issue.md";
  constexpr std::string_view kMark = "**WITHDRAWN**: ", kEnd = "\n\n";
  const std::string before = read_bounded(file, kMostFileBytes, Links::kRefuse).text;
  if (before.empty()) return;
  std::string text = before;
  if (const std::size_t end = text.find(kEnd); text.starts_with(kMark) && end != std::string::npos)
    text.erase(0, end + kEnd.size());
  if (!why.empty()) text = fmt::format("{}{}{}{}", kMark, why, kEnd, text);
  if (text != before) with_reserve([&] { write_whole(file, text); });
}

void Store::write_contract(std::string_view text) {
  with_reserve([&] { write_whole(folder_ / "contract.toml", text); });
}

void Store::write_summary(const nlohmann::ordered_json& summary) {
  with_reserve([&] { write_whole(folder_ / "summary.json", json_text(summary)); });
}

void Store::log(const nlohmann::ordered_json& event) {
  with_reserve([&] { log_.add(event); });
}

bool Store::save_corpus(const std::string& op, const std::string& name, std::string_view text,
                        Flush flush) {
  const fs::path folder = corpus(op);
  const fs::path file = folder / name;
  std::error_code error;
  const auto [count, first] = corpus_files_.try_emplace(op, 0);
  if (first) count->second = entries_of(folder).size();
  // A power cut may leave an empty file, which may be replaced.
  const bool holds_something = fs::exists(file, error) && fs::file_size(file, error) != 0;
  if (count->second >= kCorpusFiles || holds_something) return false;
  try {
    if (fs::create_directories(folder, error); error) {
      errno = error.value();
      fail_to_store(folder);
    }
    write_whole(file, text, flush);
  } catch (const StorageError& failure) {
    trouble_ = failure.what();
    return false;
  }
  ++count->second;
  return true;
}

bool Store::move_below_quarantine(const fs::path& from, const fs::path& name) {
  const fs::path to = folder_ / "quarantine" / name;
  std::error_code error;
  if (!fs::exists(fs::symlink_status(from, error))) return false;
  fs::create_directories(to.parent_path(), error);
  fs::remove_all(to, error);
  fs::rename(from, to, error);
  return !error;
}

bool Store::quarantine(const fs::path& input) {
  return move_below_quarantine(input, input.lexically_relative(folder_));
}

}  // namespace indexfuzz
