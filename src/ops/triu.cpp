// triu(self, diagonal): self with zeros below a diagonal of each of its matrices. Diagonal 0 is the
// main one, positive ones lie above it. https://pytorch.org/docs/stable/generated/torch.triu.html
//
// Agreement: exact for every dtype, since elements are only moved. Any int64 is a diagonal, however
// far outside the matrix it lies.

#include "ops/definition/operator.h"
#include "ops/families/triangle.h"

namespace indexfuzz {
namespace {

constexpr Form kForms[] = {
    {Variant::kFunctional, "triu", "", "torch.triu({self}, diagonal={diagonal})",
     "at::triu({self}, {diagonal})"},
    {Variant::kInPlace, "triu_", "", "{self}.triu_(diagonal={diagonal})",
     "{self}.triu_({diagonal})"},
    {Variant::kOut, "triu", "out", "torch.triu({self}, diagonal={diagonal}, out={out})",
     "at::triu_out({out}, {self}, {diagonal})"},
};
constexpr Overload kOverloads[] = {
    {"", kTriangleOperands, kTriangleAttributes, kTriangleParameters, kForms}};

void oracle(const OracleInput& input, std::byte* destination) {
  write_triangle(
      input, [](std::int64_t beyond, std::int64_t diagonal) { return beyond >= diagonal; },
      destination);
}

const OperatorInfo kInfo{
    .number = 24,
    .name = "triu",
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
