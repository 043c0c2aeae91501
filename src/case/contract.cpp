#include "case/contract.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace indexfuzz {

std::string python_text(const ArgumentValue& value) {
  struct Writer {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool flag) const { return flag ? "True" : "False"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const {
      const std::string text = fmt::format("{}", number);
      return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
    }
    std::string operator()(const std::string& text) const { return "'" + text + "'"; }
    std::string operator()(const Integers& list) const {
      return fmt::format("[{}]", fmt::join(list, ", "));
    }
    std::string operator()(const Zeros& zeros) const {
      return fmt::format("torch.zeros([{}], dtype=torch.{})", fmt::join(zeros.shape, ", "),
                         info(zeros.dtype).name);
    }
  };
  return std::visit(Writer{}, value);
}

}  // namespace indexfuzz
