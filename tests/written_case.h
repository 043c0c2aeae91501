#pragma once
// Cases as tests write them down, and elements as tests compare them.

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "case/number.h"
#include "draw/draw.h"
#include "ops/expectation.h"
#include "ops/text/case_text.h"

namespace indexfuzz {

/// A case in the text form, without its first line. Throws what the parser finds wrong.
inline Case written(std::string_view body) {
  const ParsedCases parsed = parse_cases(std::string(kCaseHeader) + "\n" + std::string(body));
  if (!parsed.error.empty()) throw std::runtime_error(parsed.error + " in\n" + std::string(body));
  return parsed.cases.back();
}

/// What the parser says of it; empty where it is legal.
inline std::string error_of(std::string_view body) {
  return parse_cases(std::string(kCaseHeader) + "\n" + std::string(body)).error;
}

/// Elements as numbers, real and imaginary part of a complex one after each other.
inline std::vector<double> numbers(Dtype dtype, const std::vector<std::byte>& bytes) {
  const Dtype real = component(dtype);
  std::vector<double> list;
  for (std::size_t at = 0; at < bytes.size(); at += item_size(real))
    list.push_back(to_double(real, &bytes[at]));
  return list;
}

template <typename T>
std::vector<std::byte> bytes_of(std::initializer_list<T> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T>
std::vector<T> bits_of(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// What the oracle makes of a written case with the fills that it names.
inline std::vector<double> oracle_of(std::string_view body) {
  const Expectation e = expectation(written(body));
  return numbers(e.result.dtype, e.values);
}
inline Dims result_shape_of(std::string_view body) {
  return expectation(written(body)).result.shape;
}

/// Bytes of self of an index_select with this fill.
inline std::vector<std::byte> self_of(std::string_view operand) {
  return expectation(written("index_select functional\nself " + std::string(operand) +
                             "\nindex int64 (1) fill=first\n"))
      .operands[0];
}

/// What the oracle makes of operands with these very bytes instead of their fills.
inline std::vector<std::byte> oracle_of(std::string_view body,
                                        const std::vector<std::vector<std::byte>>& operands) {
  const Case c = written(body);
  std::vector<LogicalOperand> logical;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].size() !=
        static_cast<std::size_t>(numel(c.operands[k].shape)) * item_size(c.operands[k].dtype)) {
      throw std::runtime_error("operand " + std::to_string(k) + " has another number of bytes");
    }
    logical.push_back({operands[k].data(), numel(c.operands[k].shape)});
  }
  const OperatorInfo& row = operator_of(c);
  const ResultSpec result = row.result(c);
  std::vector<std::byte> values(static_cast<std::size_t>(numel(result.shape)) *
                                item_size(result.dtype));
  row.oracle({c, logical}, values.data());
  return values;
}

}  // namespace indexfuzz
