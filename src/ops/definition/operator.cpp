#include "ops/definition/operator.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace indexfuzz {
namespace {

std::vector<const OperatorInfo*>& rows() {
  static std::vector<const OperatorInfo*> rows;
  return rows;
}

}  // namespace

constinit std::array<const OperatorInfo*, 256> operators_by_number{};

RegisterOperator::RegisterOperator(const OperatorInfo& info) {
  auto& all = rows();
  const bool is_free =
      info.number < operators_by_number.size() && operators_by_number[info.number] == nullptr;
  if (!is_free || all.size() == kMaxOperators || info.overloads.size() > kMaxOverloads) {
    std::fprintf(stderr,
                 "indexfuzz: internal error: the number %d of operator %s is taken, or there are "
                 "too many operators or overloads\n",
                 info.number, std::string(info.name).c_str());
    std::abort();
  }
  operators_by_number[info.number] = &info;
  all.insert(std::ranges::upper_bound(all, info.name, {},
                                      [](const OperatorInfo* row) { return row->name; }),
             &info);
}

std::span<const OperatorInfo* const> operators() {
  return rows();
}

int place_of(std::uint16_t number) {
  // By the first call all operators have registered themselves.
  static const std::vector<int> places = [] {
    std::vector<int> by_number(operators_by_number.size(), -1);
    for (std::size_t i = 0; i < rows().size(); ++i)
      by_number[rows()[i]->number] = static_cast<int>(i);
    return by_number;
  }();
  return number < places.size() ? places[number] : -1;
}

const OperatorInfo* find_operator(std::string_view name) {
  for (const OperatorInfo* row : rows()) {
    if (row->name == name) return row;
  }
  return nullptr;
}

void unknown_operator(const Case& c) {
  std::fprintf(stderr, "indexfuzz: internal error: a case of the unknown operator number %d\n",
               c.op);
  std::abort();
}

const OperandSpec& spec_of(const Case& c, int operand) {
  static constexpr OperandSpec kOutSpec{"out", Role::kOut};
  if (operand >= input_count(c)) return kOutSpec;
  const auto& specs = overload_of(c).operands;
  return specs[std::min(static_cast<std::size_t>(operand), specs.size() - 1)];
}

std::string operand_name(const Case& c, int operand) {
  const OperandSpec& spec = spec_of(c, operand);
  if (!spec.is_list) return std::string(spec.name);
  const auto first = static_cast<int>(overload_of(c).operands.size()) - 1;
  return std::string(spec.name) + "[" + std::to_string(operand - first) + "]";
}

const Form* form_of(const Case& c) {
  return find_form(overload_of(c), c.variant);
}

}  // namespace indexfuzz
