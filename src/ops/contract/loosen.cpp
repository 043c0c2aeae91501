#include "ops/contract/loosen.h"

#include <functional>
#include <vector>

namespace indexfuzz {
namespace {

/// Adds what resets the term, if it demands anything.
template <typename Term>
void add(std::vector<std::function<void()>>& resets, Term& term, const Term& anything) {
  if (!(term == anything)) resets.push_back([&term, anything] { term = anything; });
}

}  // namespace

Contract loosened(const Contract& contract, std::uint32_t number) {
  Contract loose = contract;
  std::vector<std::function<void()>> resets;
  const TensorTerms anything;
  for (TensorTerms& terms : loose.tensors) {
    add(resets, terms.dtypes, anything.dtypes);
    add(resets, terms.rank, anything.rank);
    add(resets, terms.size, anything.size);
    add(resets, terms.last_size, anything.last_size);
    add(resets, terms.elements, anything.elements);
    add(resets, terms.strides, anything.strides);
    add(resets, terms.expanded, anything.expanded);
    add(resets, terms.alignment, anything.alignment);
    add(resets, terms.negative, anything.negative);
    add(resets, terms.duplicates, anything.duplicates);
  }
  const std::size_t terms = resets.size() + loose.values.size();
  if (terms == 0) return loose;
  const std::size_t chosen = number % terms;
  if (chosen < resets.size()) {
    resets[chosen]();
  } else {
    loose.values.erase(loose.values.begin() + static_cast<std::ptrdiff_t>(chosen - resets.size()));
  }
  return loose;
}

}  // namespace indexfuzz
