// tril(self, diagonal): self with zeros above a diagonal of each of its matrices. Diagonal 0 is the
// main one, positive ones lie above it. https://pytorch.org/docs/stable/generated/torch.tril.html
//
// Agreement: exact for every dtype, since elements are only moved. Any int64 is a diagonal, however
// far outside the matrix it lies.

#include "ops/definition/operator.h"
#include "ops/families/triangle.h"

namespace indexfuzz {
namespace {

constexpr Form kForms[] = {
    {Variant::kFunctional, "tril", "", "torch.tril({self}, diagonal={diagonal})",
     "at::tril({self}, {diagonal})"},
    {Variant::kInPlace, "tril_", "", "{self}.tril_(diagonal={diagonal})",
     "{self}.tril_({diagonal})"},
    {Variant::kOut, "tril", "out", "torch.tril({self}, diagonal={diagonal}, out={out})",
     "at::tril_out({out}, {self}, {diagonal})"},
};
constexpr Overload kOverloads[] = {
    {"", kTriangleOperands, kTriangleAttributes, kTriangleParameters, kForms}};

void oracle(const OracleInput& input, std::byte* destination) {
  write_triangle(
      input, [](std::int64_t beyond, std::int64_t diagonal) { return beyond <= diagonal; },
      destination);
}

const OperatorInfo kInfo{
    .number = 23,
    .name = "tril",
    .overloads = kOverloads,
    .rules = triangle_rules,
    .least_rank = 2,
    .repair = repair_triangle,
    .result = result_like_self,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
