// Smaller shapes.

#include <algorithm>
#include <set>

#include "case/dim_set.h"
#include "ops/definition/operator.h"
#include "shrink/candidate_list.h"

namespace indexfuzz {
namespace {

/// Smaller sizes worth trying, chosen so that any threshold is reached in a few steps, however
/// large `size` is.
std::vector<std::int64_t> smaller_sizes(std::int64_t size) {
  std::vector<std::int64_t> sizes;
  const auto add = [&](std::int64_t smaller) {
    if (smaller >= 1 && smaller < size && std::ranges::find(sizes, smaller) == sizes.end())
      sizes.push_back(smaller);
  };
  for (const std::int64_t smaller : {std::int64_t{1}, std::int64_t{2}, size / 4, size / 2})
    add(smaller);
  for (std::int64_t part = size / 4; part > 1; part /= 4) add(size - part);
  add(size - 1);
  // Multiples of a vector width, for failures that occur at no size between two of them.
  for (std::int64_t whole = 4; whole < size && whole <= 4096; whole *= 2) add(whole);
  for (const std::int64_t vector : {2, 4, 8}) add(size - vector);
  return sizes;
}

/// All sizes that occur, the largest first.
std::set<std::int64_t, std::greater<>> sizes_of(const Case& c) {
  std::set<std::int64_t, std::greater<>> sizes;
  for (const Operand& operand : c.operands)
    sizes.insert(operand.shape.begin(), operand.shape.end());
  return sizes;
}

/// Joins dimension `d` and the next one into one with as many elements.
void join_dimensions(Operand& operand, std::size_t d) {
  if (d + 1 >= operand.shape.size()) return;
  const std::int64_t size = operand.shape[d + 1];
  drop_dimension(operand, d + 1);
  operand.shape[d] *= size;
}

/// A size is replaced wherever it occurs, since operands have to agree.
void offer_sizes(const Case& c, Candidates& out) {
  for (const std::int64_t size : sizes_of(c)) {
    for (const std::int64_t smaller : smaller_sizes(size)) {
      out.offer([&](Case& candidate) {
        for (Operand& operand : candidate.operands)
          std::ranges::replace(operand.shape, size, smaller);
      });
    }
  }
}

/// Drops dimension `d` of all operands that have it, counted from the front or from the end.
void offer_fewer_dimensions(std::size_t d, Candidates& out) {
  out.offer([&](Case& candidate) {
    for (Operand& operand : candidate.operands) drop_dimension(operand, d);
    const auto attributes = overload_of(candidate).attributes;
    for (std::size_t a = 0; a < attributes.size(); ++a) {
      std::int64_t& dim = candidate.attributes[a];
      if (is_dim(attributes[a].type) && dim > static_cast<std::int64_t>(d)) --dim;
      if (attributes[a].type == AttributeType::kDims) dim = without_dim(dim, static_cast<int>(d));
    }
  });
  // Operands that broadcast have their last dimensions in common.
  out.offer([&](Case& candidate) {
    for (Operand& operand : candidate.operands) {
      if (d < operand.shape.size()) drop_dimension(operand, operand.shape.size() - 1 - d);
    }
  });
}

void offer_joined_dimensions(std::size_t d, Candidates& out) {
  out.offer([&](Case& candidate) {
    for (Operand& operand : candidate.operands) join_dimensions(operand, d);
  });
}

/// Makes dimension `d` smaller in all operands, whatever its size in each: 1, and half.
void offer_smaller_dimension(std::size_t d, Candidates& out) {
  const auto offer = [&](auto smaller) {
    out.offer([&](Case& candidate) {
      for (Operand& operand : candidate.operands) {
        if (d < operand.shape.size()) operand.shape[d] = smaller(operand.shape[d]);
      }
    });
  };
  offer([](std::int64_t size) { return std::min<std::int64_t>(size, 1); });
  offer([](std::int64_t size) { return (size + 1) / 2; });
}

/// Changes dimension `d` of operand `k` alone.
void offer_in_one_operand(const Case& c, std::size_t k, std::size_t d, Candidates& out) {
  out.offer_operand(k, [&](Operand& operand) { drop_dimension(operand, d); });
  out.offer_operand(k, [&](Operand& operand) { join_dimensions(operand, d); });
  for (const std::int64_t smaller : smaller_sizes(c.operands[k].shape[d])) {
    out.offer_operand(k, [&](Operand& operand) { operand.shape[d] = smaller; });
  }
}

/// Two sizes may be tied by a rule other than equality: both fall by 1.
void offer_tied_sizes(const Case& c, std::size_t k, std::size_t d, Candidates& out) {
  if (c.operands[k].shape[d] < 2) return;
  for (std::size_t other = 0; other < c.operands.size(); ++other) {
    if (other == k || d >= c.operands[other].shape.size()) continue;
    out.offer([&](Case& candidate) {
      --candidate.operands[k].shape[d];
      std::int64_t& size = candidate.operands[other].shape[d];
      size = std::max<std::int64_t>(size - 1, 1);
    });
  }
}

}  // namespace

void offer_shapes(const Case& c, Candidates& out) {
  offer_sizes(c, out);
  for (std::size_t d = 0; d < kMaxDims; ++d) {
    offer_fewer_dimensions(d, out);
    offer_joined_dimensions(d, out);
    offer_smaller_dimension(d, out);
  }
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    for (std::size_t d = 0; d < c.operands[k].shape.size(); ++d) {
      offer_in_one_operand(c, k, d, out);
      offer_tied_sizes(c, k, d, out);
    }
  }
}

void offer_shapes_before_guards(const Case& c, Candidates& out) {
  for (const std::int64_t size : sizes_of(c)) {
    for (const std::int64_t smaller : {std::int64_t{1}, std::int64_t{2}, size / 2}) {
      if (smaller < 1 || smaller >= size) continue;
      out.offer([&](Case& candidate) {
        for (Operand& operand : candidate.operands) {
          std::ranges::replace(operand.shape, size, smaller);
          operand.guard = Guard::kRight;
        }
      });
    }
  }
}

void offer_sizes_with_attributes(const Case& c, Candidates& out) {
  const auto attributes = overload_of(c).attributes;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    const std::int64_t value = c.attributes[a];
    const AttributeType type = attributes[a].type;
    const bool may_be_tied = type == AttributeType::kAnyInt || type == AttributeType::kSize ||
                             type == AttributeType::kOptionalSize ||
                             type == AttributeType::kOptionalPlace || type == AttributeType::kStep;
    if (!may_be_tied || value == 0) continue;
    for (const std::int64_t size : sizes_of(c)) {
      // Neither None nor a number far beyond the sizes.
      if (size < 2 || value < -2 * size || value > 2 * size) continue;
      const auto offer = [&](std::int64_t smaller) {
        out.offer([&](Case& candidate) {
          for (Operand& operand : candidate.operands)
            std::ranges::replace(operand.shape, size, smaller);
          candidate.attributes[a] = value * smaller / size;
        });
      };
      offer(size / 2);
      offer(size - 1);
      // The size may be a product of several numbers, as that of a plane is.
      if (value > 1 && size % value == 0) {
        offer(size / value);
        offer(size - size / value);
      }
    }
  }
}

void offer_trades(const Case& c, Candidates& out) {
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    for (std::size_t d = 0; d < c.operands[k].shape.size(); ++d) {
      if (c.operands[k].shape[d] < 2) continue;
      for (std::size_t other = 0; other < c.operands.size(); ++other) {
        // A 0-dimensional operand (an index, say) may become a row of several elements.
        for (std::size_t e = 0; e < std::max<std::size_t>(c.operands[other].shape.size(), 1); ++e) {
          if (other == k && e == d) continue;
          out.offer([&](Case& candidate) {
            if (candidate.operands[other].shape.empty()) candidate.operands[other].shape = {1};
            std::int64_t& less = candidate.operands[k].shape[d];
            std::int64_t& more = candidate.operands[other].shape[e];
            more = (more * less + (less + 1) / 2 - 1) / ((less + 1) / 2);
            less = (less + 1) / 2;
          });
        }
      }
    }
  }
}

}  // namespace indexfuzz
