#include "campaign/store/contract_file.h"

#include <fmt/format.h>

#include <utility>

#include "campaign/failure.h"
#include "campaign/store/bounded_read.h"
#include "case/strings/printable.h"
#include "ops/contract/parse_contract.h"

namespace indexfuzz {

namespace {
constexpr std::size_t kMostBytes = 64 << 10;  // far below what an argument of a program may have
}  // namespace

ContractFile read_contract(const std::filesystem::path& file,
                           const std::vector<std::string>& names) {
  BoundedText read = read_bounded(file, kMostBytes, Links::kFollow);
  if (!read.is_read())
    throw SetupError(fmt::format("the contract {} {}.", printable(file.string()), read.why));
  std::vector<const OperatorInfo*> under_test(operators().begin(), operators().end());
  if (!names.empty()) under_test.clear();
  for (const std::string& name : names) {
    if (const OperatorInfo* const op = find_operator(name)) under_test.push_back(op);
  }
  ParsedContract parsed = parse_contract(read.text, file.string(), under_test);
  if (!parsed.error.empty()) throw SetupError(parsed.error + ".");
  return {std::move(read.text), std::move(parsed.contract)};
}

}  // namespace indexfuzz
