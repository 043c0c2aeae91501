#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>

#include "campaign/store/bounded_read.h"
#include "campaign/store/summary_file.h"
#include "case/strings/counted.h"
#include "case/strings/printable.h"
#include "case/strings/take_until.h"
#include "cli/commands.h"
#include "cli/escaped.h"
#include "cli/output.h"
#include "cli/summary_text.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t kMostFileBytes = 1 << 20;

constexpr const char* kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse}td,th{padding:.2em .8em;border-bottom:1px solid #ccc;"
    "text-align:right}td:first-child,th:first-child{text-align:left}"
    "pre{background:#f4f4f4;padding:.8em;overflow:auto}summary{cursor:pointer}"
    ".new{color:#b00020}";

std::string cell(const ordered_json& row, const char* key) {
  const auto value = row.find(key);
  const bool number = value != row.end() && value->is_number_unsigned();
  return fmt::format("<td>{}</td>", number ? grouped(value->get<std::uint64_t>()) : "");
}

std::string verified_table(const Summary& summary) {
  std::string rows;
  const ordered_json implementations =
      summary.json.value("implementations", ordered_json::object());
  for (const auto& [implementation, operators] : implementations.items()) {
    for (const auto& [op, row] : operators.items()) {
      rows +=
          fmt::format("<tr><td>{} on {}</td>{}{}{}{}{}</tr>\n", escaped(printable(op)),
                      escaped(printable(implementation)), cell(row, "agreed"), cell(row, "refused"),
                      cell(row, "skipped"), cell(row, "steered"), cell(row, "findings"));
    }
  }
  return "<h2>Verified</h2>\n<table><tr><th></th><th>agreed</th><th>refused</th><th>skipped</th>"
         "<th>of these, too similar</th><th>failing</th></tr>\n" +
         rows + "</table>\n";
}

/// A file of a finding as a block that can be unfolded; empty if the file cannot be read.
std::string file_block(const fs::path& file) {
  const BoundedText read = read_bounded(file, kMostFileBytes, Links::kRefuse);
  if (!read.is_read()) return "";
  std::string text;
  for (std::string_view rest = read.text; !rest.empty();)
    text += escaped(printable(take_until(rest, "\n"))) + "\n";
  return fmt::format("<details><summary>{}</summary><pre>{}</pre></details>\n",
                     escaped(printable(file.filename().string())), text);
}

std::string finding_block(const fs::path& folder, const SummaryFinding& finding) {
  std::string block = fmt::format(
      "<h3{}>{}</h3>\n<p>{}, {}, after {:.1f} s{}{}</p>\n", finding.known ? "" : " class=\"new\"",
      escaped(printable(finding.signature)), escaped(printable(finding.reruns)),
      plural(finding.elements, "element"), finding.first_seconds, finding.known ? ", known" : "",
      finding.withdrawn ? ", withdrawn: its program does not fail alone" : "");
  // Only a well-formed id may become part of a path: the summary is not trusted.
  if (finding.id.find_first_not_of("0123456789abcdef") != std::string::npos) return block;
  for (const char* name : {"issue.md", "minimal.case", "repro.py", "repro.cpp", "finding.json"})
    block += file_block(folder / "findings" / finding.id / name);
  return block;
}

std::string report_text(const fs::path& folder, const Summary& summary) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>indexfuzz: "
      "{0}</title>\n"
      "<style>{1}</style></head><body>\n<h1>indexfuzz: {0}</h1>\n"
      "<p>{2}{3}. {4}.</p>\n",
      escaped(printable(folder.filename().empty() ? folder.parent_path().filename().string()
                                                  : folder.filename().string())),
      kStyle, summary.state == "done" ? "Done" : "Running, or killed",
      summary.reasons.empty()
          ? ""
          : escaped(printable(fmt::format(" ({})", fmt::join(summary.reasons, ", ")))),
      escaped(fmt::format("{}", fmt::join(totals_in_words(summary), ". "))));
  if (const auto why = why_inconclusive(left_open(summary)); !why.empty()) {
    text += "<h2>Inconclusive</h2>\n<ul>\n";
    for (const std::string& sentence : why) text += fmt::format("<li>{}</li>\n", escaped(sentence));
    text += "</ul>\n";
  }
  text += fmt::format("<h2>{}</h2>\n", plural(summary.findings.size(), "finding"));
  for (const bool known : {false, true}) {
    for (const SummaryFinding& finding : summary.findings) {
      if (finding.known == known) text += finding_block(folder, finding);
    }
  }
  return text + verified_table(summary) + "</body></html>\n";
}

}  // namespace

void add_report(CLI::App& program, Run& run) {
  CLI::App* command = program.add_subcommand(
      "report", "write a campaign as one HTML page that needs no other file");
  struct Asked {
    std::string folder, output;
  };
  auto asked = std::make_shared<Asked>();
  command->add_option("DIR", asked->folder, "the --out folder of the campaign")->required();
  command->add_option("-o", asked->output, "file to write; default: standard output")
      ->type_name("FILE");
  command->footer("Example:\n  indexfuzz report indexfuzz-out/20260501-200000 -o night.html");
  command->callback([asked, &run] {
    run = [asked] {
      write_output(asked->output, report_text(asked->folder, read_summary(asked->folder)));
      return 0;
    };
  });
}

}  // namespace indexfuzz
