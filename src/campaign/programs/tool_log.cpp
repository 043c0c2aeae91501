#include "campaign/programs/tool_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "case/strings/printable.h"
#include "case/strings/take_until.h"
#include "case/strings/trimmed.h"

namespace indexfuzz {
namespace {

constexpr std::size_t kMostFaults = 3;
constexpr std::size_t kMostBytes = 400;

using Lines = std::vector<std::string_view>;

/// The lines that begin with `prefix`, without it.
Lines lines_behind(std::string_view log, std::string_view prefix) {
  Lines lines;
  while (!log.empty()) {
    std::string_view line = take_until(log, "\n");
    if (!line.starts_with(prefix)) continue;
    line.remove_prefix(prefix.size());
    lines.push_back(line);
  }
  return lines;
}

/// "libc10.so" of "/usr/lib/libc10.so".
std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

struct Frame {
  std::string_view function;
  std::string_view place;  ///< a library, or a file and a line
};

/// Whether a person who looks for the fault in a kernel would skip it.
bool is_of_system(const Frame& frame) {
  constexpr std::array<std::string_view, 9> kLibraries{
      "libc.so",  "libc-",     "libpthread", "libstdc++.so",        "libgcc_s.so",
      "ld-linux", "vgpreload", "libgomp",    "libc_malloc_debug.so"};
  const std::string_view file = file_name(frame.place);
  return frame.function.empty() || frame.function.starts_with("??") ||
         // Sources of the C library, where its debug symbols are installed.
         frame.place.starts_with("./") || frame.place.starts_with("../") ||
         file.find(".S:") != std::string_view::npos ||
         std::ranges::any_of(kLibraries,
                             [&](std::string_view library) { return file.starts_with(library); });
}

/// " in FUNCTION (PLACE)" of the topmost frame that is not the system's; empty if all are.
std::string in_frame(const std::vector<Frame>& frames) {
  const auto frame =
      std::ranges::find_if(frames, [](const Frame& one) { return !is_of_system(one); });
  if (frame == frames.end()) return "";
  const std::string_view place = file_name(frame->place);
  return fmt::format(" in {}{}", short_name(frame->function),
                     place.empty() ? "" : fmt::format(" ({})", place));
}

/// "#1  0x7f12 in f(int) () from /lib/libx.so", "#2  f (x=...) at x.cpp:12".
Frame gdb_frame(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of("#0123456789 "), line.size()));
  if (line.starts_with("x0000")) line.remove_prefix(std::min(line.find(" in ") + 4, line.size()));
  Frame frame;
  for (const std::string_view mark : {" from ", " at "}) {
    const std::size_t at = line.rfind(mark);
    if (at == std::string_view::npos) continue;
    frame.place = line.substr(at + mark.size());
    line = line.substr(0, at);
    break;
  }
  frame.function = line.substr(0, line.rfind(" ("));
  return frame;
}

/// "   at 0x4C32: f(int) (x.cpp:12)", "   by 0x4C32: f(int) (in /lib/libx.so)".
Frame valgrind_frame(std::string_view line) {
  const std::size_t name = line.find(": ");
  if (name == std::string_view::npos) return {};
  line = line.substr(name + 2);
  const std::size_t place = line.rfind(" (");
  if (place == std::string_view::npos || !line.ends_with(')')) return {line, ""};
  Frame frame{line.substr(0, place), line.substr(place + 2, line.size() - place - 3)};
  if (frame.place.starts_with("in ")) frame.place.remove_prefix(3);
  return frame;
}

ToolLog faults(const std::vector<std::string>& all, bool watched, std::string_view otherwise) {
  ToolLog read;
  read.shown = !all.empty() ? Shown::kWrong : watched ? Shown::kRight : Shown::kCannotTell;
  std::set<std::string> places;
  for (const std::string& one : all) {
    // Each thread of a kernel may make the same mistake, at another address.
    if (places.insert(one.substr(0, one.find(" by thread"))).second)
      read.says.emplace_back(beginning(printable(one), kMostBytes));
  }
  if (read.says.size() > kMostFaults) {
    const std::size_t more = read.says.size() - kMostFaults;
    read.says.resize(kMostFaults);
    read.says.push_back(fmt::format("and {} more", more));
  }
  if (read.shown == Shown::kCannotTell) read.says.emplace_back(otherwise);
  return read;
}

/// One error of valgrind: its own lines, and those about the address up to where that was made.
std::string valgrind_fault(std::string_view headline, const Lines& behind) {
  constexpr std::array<std::string_view, 4> kFaults{"Invalid ", "Jump to the invalid",
                                                    "Process terminating with default action of ",
                                                    "Source and destination overlap"};
  if (std::ranges::none_of(kFaults,
                           [&](std::string_view fault) { return headline.starts_with(fault); }))
    return "";
  std::vector<Frame> frames;
  std::string address;
  bool block = false;  // what follows says where the block at the address was allocated
  for (const std::string_view line : behind) {
    if (line.starts_with("   ")) {
      if (!block) frames.push_back(valgrind_frame(line));
    } else if (address.empty()) {
      address = trimmed(line);
      block = !frames.empty();
    }
  }
  const auto loads = [](const Frame& frame) {
    return frame.function.starts_with("_dl_") || frame.function.starts_with("dl_open_worker");
  };
  if (std::ranges::any_of(frames, loads)) return "";
  return std::string(headline.substr(0, headline.find("(0x"))) + in_frame(frames) +
         (address.empty() ? "" : ": " + address);
}

/// "and Read access at kernel<...>+0x70 in mine.cu:12" of a line that shows parameters.
std::string with_short_name(std::string_view line) {
  const std::size_t at = line.starts_with("at ") ? 0 : line.find(" at "), end = line.rfind("+0x");
  if (at == line.npos || end == line.npos || end < at) return std::string(line);
  const std::size_t begin = line.find("at ", at) + 3;
  return fmt::format("{}{}{}", line.substr(0, begin), short_name(line.substr(begin, end - begin)),
                     line.substr(end));
}

/// One error of compute-sanitizer; empty for a mere warning, and for what is none of a kernel.
std::string sanitizer_fault(std::string_view headline, const Lines& behind) {
  std::string text = with_short_name(headline);
  bool in_kernel = headline.find("Race reported") != headline.npos;
  for (const std::string_view line : behind) {
    const std::string_view words = trimmed(line);
    if (words.starts_with("Saved host backtrace") || words.find(" Frame:") != words.npos) break;
    in_kernel |= words.starts_with("at ") || words.starts_with("by thread");
    text += " " + with_short_name(words);
  }
  return in_kernel && !headline.starts_with("Warning: ") ? text : "";
}

/// The text of each block: a headline, and the indented lines behind it.
std::vector<std::string> faults_of(const Lines& lines,
                                   std::string (*fault)(std::string_view, const Lines&)) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < lines.size();) {
    const std::string_view headline = trimmed(lines[i++]);
    const std::size_t begin = i;
    while (i < lines.size() && lines[i].starts_with(' ')) ++i;
    const auto from = lines.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::string text =
        fault(headline, Lines(from, lines.begin() + static_cast<std::ptrdiff_t>(i)));
    if (!text.empty()) all.push_back(text);
  }
  return all;
}

}  // namespace

std::string short_name(std::string_view function) {
  for (const std::string_view mark : {" [clone ", " const"}) {
    if (const std::size_t at = function.rfind(mark);
        at != std::string_view::npos && function.find_first_of(")>", at) == std::string_view::npos)
      function = function.substr(0, at);
  }
  if (function.ends_with(')') && !function.ends_with("(anonymous namespace)")) {
    std::size_t open = function.size();
    for (int depth = 0; open > 0;) {
      const char letter = function[--open];
      depth += letter == ')' ? 1 : letter == '(' ? -1 : 0;
      if (depth == 0) break;
    }
    if (open > 0 && !function.substr(0, open).ends_with("operator"))
      function = function.substr(0, open);
  }
  constexpr std::string_view kReturns = "void ";  // shown of templates alone
  if (function.starts_with(kReturns)) function.remove_prefix(kReturns.size());
  std::string name;
  int depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    const std::string_view before = function.substr(0, i);
    const bool is_operator =
        before.ends_with("operator") || before.ends_with("operator<") || before.ends_with('-');
    if (function[i] == '<' && !is_operator && depth++ == 0) name += "<...>";
    if (depth == 0) name += function[i];
    if (function[i] == '>' && !is_operator && depth > 0) --depth;
  }
  return name;
}

ToolLog read_gdb(std::string_view log) {
  constexpr std::string_view kSignal = " signal ";
  std::string signal;
  std::vector<Frame> frames;
  bool watched = false;
  for (const std::string_view line : lines_behind(log, "")) {
    if (line.starts_with("[Inferior 1 ") && line.find(" exited ") != line.npos) watched = true;
    const bool stopped = line.starts_with("Thread ") || line.starts_with("Program ");
    const std::size_t at = line.find(kSignal);
    if (stopped && at != line.npos && signal.empty()) {
      signal = line.substr(at + kSignal.size());
      signal.erase(std::min(signal.find_first_of(",."), signal.size()));
    }
    if (line.starts_with("#") && !signal.empty()) frames.push_back(gdb_frame(line));
  }
  if (!signal.empty()) return faults({signal + in_frame(frames)}, true, "");
  const bool traced = log.find("ptrace: ") == std::string_view::npos;
  return faults({}, watched,
                traced ? "it did not see the program end"
                       : "it may not trace programs here: ptrace is not permitted");
}

ToolLog read_valgrind(std::string_view log) {
  Lines lines = lines_behind(log, "==");
  // Behind the number of the process: "1234== Invalid read of size 8".
  for (std::string_view& line : lines)
    line.remove_prefix(std::min(line.find("== ") + 3, line.size()));
  return faults(faults_of(lines, valgrind_fault),
                log.find("== ERROR SUMMARY: ") != std::string_view::npos,
                "it did not see the program end");
}

ToolLog read_sanitizer(std::string_view log) {
  const Lines lines = lines_behind(log, "========= ");
  std::string_view last = "it did not watch the program";
  for (const std::string_view line : lines) {
    if (!line.empty() && !line.starts_with(' ')) last = line;
  }
  return faults(faults_of(lines, sanitizer_fault), log.find(" SUMMARY: ") != log.npos, last);
}

}  // namespace indexfuzz
