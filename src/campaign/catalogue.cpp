#include "campaign/catalogue.h"

#include <fmt/format.h>

#include <toml++/toml.h>

#include "campaign/failure.h"

namespace indexfuzz {
namespace {

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(file) {}

  std::vector<PlantedKernel> read() {
    try {
      const toml::table root = toml::parse_file(file_.string());
      const toml::array* kernels = root["kernel"].as_array();
      if (kernels == nullptr || kernels->empty()) fail(root, "a catalogue holds [[kernel]] tables");
      std::vector<PlantedKernel> all;
      for (const toml::node& node : *kernels) {
        if (!node.is_table()) fail(node, "a catalogue holds [[kernel]] tables");
        all.push_back(kernel(*node.as_table()));
      }
      return all;
    } catch (const toml::parse_error& error) {
      fail(error.source(), error.description());
    }
  }

 private:
  [[noreturn]] void fail(const toml::source_region& where, std::string_view what) const {
    throw SetupError(
        fmt::format("{}:{}:{}: {}.", file_.string(), where.begin.line, where.begin.column, what));
  }
  [[noreturn]] void fail(const toml::node& node, std::string_view what) const {
    fail(node.source(), what);
  }

  template <typename T>
  T field(const toml::table& table, std::string_view key) const {
    const auto value = table[key].value_exact<T>();
    if (!value) fail(table, fmt::format("this kernel has no `{}` of the right type", key));
    return *value;
  }

  PlantedKernel kernel(const toml::table& table) const {
    PlantedKernel kernel;
    kernel.name = field<std::string>(table, "name");
    kernel.op = field<std::string>(table, "operator");
    kernel.correct = table["correct"].value_or(false);
    kernel.rare = table["rare"].value_or(false);
    kernel.needs = table["needs"].value_or<std::string>("");
    kernel.blames = table["blames"].value_or<std::string>("");
    kernel.contract = table["contract"].value_or<std::string>("");
    kernel.timeout = table["timeout"].value_or<std::string>("");
    if (kernel.correct) return kernel;
    kernel.elements = field<std::int64_t>(table, "elements");
    if (const toml::array* kinds = table["kind"].as_array()) {
      for (const toml::node& kind : *kinds) kernel.kinds.push_back(kind.value_or<std::string>(""));
    }
    if (kernel.kinds.empty()) fail(table, "a kernel that is not correct has a list `kind`");
    if (const toml::table* by_kind = table["elements_of"].as_table()) {
      for (const auto& [kind, count] : *by_kind) {
        kernel.elements_of[std::string(kind.str())] = count.value_or<std::int64_t>(0);
      }
    }
    return kernel;
  }

  const std::filesystem::path& file_;
};

}  // namespace

std::vector<PlantedKernel> read_catalogue(const std::filesystem::path& file) {
  return Reader(file).read();
}

std::int64_t declared_elements(const PlantedKernel& kernel, const std::string& kind) {
  const auto own = kernel.elements_of.find(kind);
  return own == kernel.elements_of.end() ? kernel.elements : own->second;
}

}  // namespace indexfuzz
