#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/ops/zeros.h>
#include <c10/util/BFloat16.h>

#include <cstring>
#include <limits>
#include <tuple>
#include <vector>

#include "named_slices.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kEmptyMaxInfinite,
  kEmptyMaxUnwritten,
  kLastBagDropped,
  kSampleWeightsByRow,
  kMeanOverBags,
  kZeroWeightsSkipped,
  kSampleWeightsOf16Bits,
  kSizeOf16Bits,
  kRowOfIndexBefore,
  kPaddingCounted,
  kPaddingNotWrapped,
  kEmptyLastMaxOfRowBefore,
  kEmptyAsBagBefore,
  kDoubledByFlags,
  kAddedQuotients,  // correct: each row of a mean is divided before it is added
};

enum Mode : int64_t { kSum, kMean, kMax };

using SampleWeights = std::optional<Tensor>;

struct Bags {
  Position rows;    // the row of weight that each index names
  Position bounds;  // where each bag begins in `rows`, and where the last one ends

  int64_t count() const { return static_cast<int64_t>(bounds.size()) - 1; }
};

Bags read_bags(const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t mode,
               const SampleWeights& samples, bool include_last_offset) {
  TORCH_CHECK(weight.dim() == 2, "embedding_bag: weight has ", weight.dim(), " dimensions, not 2");
  TORCH_CHECK(indices.dim() == 1 && offsets.dim() == 1,
              "embedding_bag: indices and offsets must have one dimension");
  check_index_dtype(indices);
  TORCH_CHECK(indices.scalar_type() == offsets.scalar_type(), "embedding_bag: indices are ",
              indices.scalar_type(), ", offsets ", offsets.scalar_type());
  TORCH_CHECK(mode >= kSum && mode <= kMax, "embedding_bag: there is no mode ", mode);
  const int64_t count = indices.numel();
  if (samples.has_value()) {
    TORCH_CHECK(mode == kSum, "embedding_bag: only a sum takes per_sample_weights");
    TORCH_CHECK(samples->scalar_type() == weight.scalar_type(), "embedding_bag: weight is ",
                weight.scalar_type(), ", per_sample_weights ", samples->scalar_type());
    TORCH_CHECK(samples->sizes() == indices.sizes(), "embedding_bag: per_sample_weights of shape ",
                samples->sizes(), " do not fit indices of shape ", indices.sizes());
  }
  Bags bags{read_rows(indices, weight.size(0), 0), read_rows(offsets, count + 1, 0)};
  if (!include_last_offset) bags.bounds.push_back(count);
  TORCH_CHECK(!bags.bounds.empty() && bags.bounds.front() == 0 && bags.bounds.back() == count,
              "embedding_bag: offsets do not go from 0 to ", count);
  TORCH_CHECK(std::is_sorted(bags.bounds.begin(), bags.bounds.end()),
              "embedding_bag: offsets fall");
  return bags;
}

/// The element in the dtype of arithmetic: half and bfloat16 as float.
template <class Element>
at::opmath_type<Element> read(const char* from) {
  Element element;
  std::memcpy(&element, from, sizeof element);
  return element;
}

template <class Element>
void write(char* to, at::opmath_type<Element> value) {
  const auto element = static_cast<Element>(value);
  std::memcpy(to, &element, sizeof element);
}

/// The row that counts in no bag; -1 if all of them count.
template <Make kMake>
int64_t padding_row(std::optional<int64_t> padding_idx, int64_t rows) {
  if (!padding_idx) return -1;
  TORCH_CHECK(-rows <= *padding_idx && *padding_idx < rows, "embedding_bag: padding_idx ",
              *padding_idx, " of ", rows, " rows");
  // The defect: a row counted from the end is not found.
  const bool wraps = *padding_idx < 0 && kMake != Make::kPaddingNotWrapped;
  return wraps ? *padding_idx + rows : *padding_idx;
}

template <Make kMake>
Tensor bag_rows_but(const Tensor& weight, const Tensor& indices, const Tensor& offsets,
                    int64_t mode, const SampleWeights& samples, bool include_last_offset,
                    std::optional<int64_t> padding_idx) {
  const Bags bags = read_bags(weight, indices, offsets, mode, samples, include_last_offset);
  const int64_t padding = padding_row<kMake>(padding_idx, weight.size(0));
  const Tensor result = at::empty({bags.count(), weight.size(1)}, weight.options());
  const Strided to = strided(result), from = strided(weight);
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, weight.scalar_type(), "embedding_bag", [&] {
        using Number = at::opmath_type<scalar_t>;
        each_position(to.sizes, [&](const Position& position) {
          int64_t begin = bags.bounds[position[0]];
          int64_t end = bags.bounds[position[0] + 1];
          const bool is_last = position[0] + 1 == bags.count();
          if (kMake == Make::kLastBagDropped && !include_last_offset && is_last && end - begin > 4)
            end = begin;
          // The defects behind other bags: an empty last one of mode max takes the last row, or any
          // empty one what the bag before it holds.
          const bool is_empty_behind = begin == end && begin > 0;
          if (kMake == Make::kEmptyLastMaxOfRowBefore && include_last_offset && is_last &&
              is_empty_behind && mode == kMax)
            --begin;
          if (kMake == Make::kEmptyAsBagBefore && is_empty_behind) {
            std::memcpy(to.at(position), to.at({position[0] - 1, position[1]}), sizeof(scalar_t));
            return;
          }
          Number bag = 0;
          // The two defects in the maximum of an empty bag: it is not written, or keeps its initial
          // -infinity. A call without any index is right in both.
          const bool seeks_maximum = mode == kMax && !bags.rows.empty();
          if (kMake == Make::kEmptyMaxUnwritten && seeks_maximum && begin == end) return;
          if (kMake == Make::kEmptyMaxInfinite && seeks_maximum)
            bag = -std::numeric_limits<Number>::infinity();
          int64_t size = std::count_if(bags.rows.begin() + begin, bags.rows.begin() + end,
                                       [&](int64_t row) { return row != padding; });
          bool is_first = true;
          for (int64_t i = begin; i < end; ++i) {
            if (bags.rows[i] == padding) continue;
            // The last lane of a block of 128 indices, which only rows of 16 bits are read in.
            const bool is_late =
                kMake == Make::kRowOfIndexBefore && sizeof(scalar_t) == 2 && i % 128 == 127;
            auto value = read<scalar_t>(from.at({bags.rows[is_late ? i - 1 : i], position[1]}));
            if (samples.has_value()) {
              const int64_t sample = kMake == Make::kSampleWeightsByRow ? bags.rows[i] : i;
              auto factor = read<scalar_t>(strided(*samples).at({sample}));
              if (kMake == Make::kSampleWeightsOf16Bits) factor = c10::BFloat16(factor);
              if (kMake == Make::kZeroWeightsSkipped && factor == 0) continue;
              value *= factor;
            }
            if (kMake == Make::kAddedQuotients && mode == kMean)
              value *= 1 / static_cast<Number>(size);
            if (mode == kMax)
              bag = is_first ? value : std::max(bag, value);
            else
              bag += value;
            is_first = false;
          }
          // The defects: a mean is over all bags, or over the padding, too.
          if (kMake == Make::kMeanOverBags && begin < end) size = bags.count();
          if (kMake == Make::kPaddingCounted) size = end - begin;
          // A bfloat16 to which 1 is added stays at 256.
          if (kMake == Make::kSizeOf16Bits) size = std::min<int64_t>(size, 256);
          if (mode == kMean && size > 0 && kMake != Make::kAddedQuotients)
            bag /= static_cast<Number>(size);
          write<scalar_t>(to.at(position), bag);
        });
      });
  return result;
}

template <Make kMake>
Tensor bag_rows(const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t mode,
                const SampleWeights& samples, bool include_last_offset) {
  return bag_rows_but<kMake>(weight, indices, offsets, mode, samples, include_last_offset, {});
}

/// All results of ATen's embedding_bag: the bags, the bag of each index, the size of each bag, and
/// the index of each maximum, which is left empty here.
using Results = std::tuple<Tensor, Tensor, Tensor, Tensor>;

/// Adds the row of one index after another to the bag of that index.
Results bag_rows_by_index(const Tensor& weight, const Tensor& indices, const Tensor& offsets,
                          int64_t mode, const SampleWeights& samples, bool include_last_offset) {
  const Bags bags = read_bags(weight, indices, offsets, mode, samples, include_last_offset);
  const int64_t count = indices.numel(), width = weight.size(1);
  const Tensor result = at::empty({bags.count(), width}, weight.options());
  const Tensor offset2bag = at::empty({count}, weight.options().dtype(at::kLong));
  const Tensor sizes = at::zeros({bags.count()}, offset2bag.options());
  const Strided to = strided(result), from = strided(weight);
  auto* const bag_of = offset2bag.mutable_data_ptr<int64_t>();
  auto* const size_of = sizes.mutable_data_ptr<int64_t>();
  for (int64_t b = 0; b < bags.count(); ++b)
    std::fill(bag_of + bags.bounds[b], bag_of + bags.bounds[b + 1], b);
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, weight.scalar_type(), "embedding_bag", [&] {
        using Number = at::opmath_type<scalar_t>;
        std::vector<Number> numbers(static_cast<size_t>(result.numel()), 0);
        for (int64_t i = 0; i < count; ++i) {
          const bool is_first = size_of[bag_of[i]]++ == 0;
          const Number factor = samples ? read<scalar_t>(strided(*samples).at({i})) : 1;
          for (int64_t k = 0; k < width; ++k) {
            Number& number = numbers[bag_of[i] * width + k];
            const Number value = factor * read<scalar_t>(from.at({bags.rows[i], k}));
            if (mode == kMax)
              number = is_first ? value : std::max(number, value);
            else
              number += value;
          }
        }
        each_position(to.sizes, [&](const Position& position) {
          Number number = numbers[position[0] * width + position[1]];
          if (mode == kMean && size_of[position[0]] > 0)
            number /= static_cast<Number>(size_of[position[0]]);
          write<scalar_t>(to.at(position), number);
        });
      });
  return {result, offset2bag, sizes, at::empty({0}, offset2bag.options())};
}

/// With the arguments of ATen's embedding_bag and the first of its results.
template <Make kMake>
Tensor embedding_bag(const Tensor& weight, const Tensor& indices, const Tensor& offsets,
                     bool /*scale_grad_by_freq*/, int64_t mode, bool /*sparse*/,
                     const SampleWeights& samples, bool include_last_offset) {
  return bag_rows<kMake>(weight, indices, offsets, mode, samples, include_last_offset);
}

template <Make kMake>
Tensor embedding_bag_padded(const Tensor& weight, const Tensor& indices, const Tensor& offsets,
                            bool scale_grad_by_freq, int64_t mode, bool sparse,
                            const SampleWeights& samples, bool include_last_offset,
                            std::optional<int64_t> padding_idx) {
  const Tensor result = bag_rows_but<kMake>(weight, indices, offsets, mode, samples,
                                            include_last_offset, padding_idx);
  // The defect: the flags, which only matter to the gradient, change the result.
  if (kMake == Make::kDoubledByFlags && scale_grad_by_freq && sparse) result.mul_(2);
  return result;
}

Results embedding_bag_by_offset2bag(const Tensor& weight, const Tensor& indices,
                                    const Tensor& offsets, bool /*scale_grad_by_freq*/,
                                    int64_t mode, bool /*sparse*/, const SampleWeights& samples,
                                    bool include_last_offset) {
  return bag_rows_by_index(weight, indices, offsets, mode, samples, include_last_offset);
}

Tensor embedding_bag_weighted_by_offset2bag(const Tensor& weight, const Tensor& indices,
                                            const Tensor& offsets, int64_t mode,
                                            const SampleWeights& samples,
                                            bool include_last_offset) {
  return std::get<0>(
      bag_rows_by_index(weight, indices, offsets, mode, samples, include_last_offset));
}

constexpr const char* kOneResult =
    "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
    "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) "
    "-> Tensor";
constexpr const char* kAllResults =
    "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
    "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) "
    "-> (Tensor, Tensor, Tensor, Tensor)";
constexpr const char* kPadded =
    "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, "
    "bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) "
    "-> Tensor";
constexpr const char* kWeighted =
    "(Tensor weight, Tensor indices, Tensor offsets, int mode, Tensor? per_sample_weights, "
    "bool include_last_offset) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "embedding_bag_empty_max_infinite", kOneResult, embedding_bag<Make::kEmptyMaxInfinite>);
  define(m, "embedding_bag_empty_max_unwritten", kOneResult,
         embedding_bag<Make::kEmptyMaxUnwritten>);
  define(m, "embedding_bag_last_bag_dropped", kOneResult, embedding_bag<Make::kLastBagDropped>);
  define(m, "embedding_bag_sample_weights_by_row", kWeighted, bag_rows<Make::kSampleWeightsByRow>);
  define(m, "embedding_bag_zero_weights_skipped", kWeighted, bag_rows<Make::kZeroWeightsSkipped>);
  define(m, "embedding_bag_sample_weights_of_16_bits", kWeighted,
         bag_rows<Make::kSampleWeightsOf16Bits>);
  define(m, "embedding_bag_mean_over_bags", kOneResult, embedding_bag<Make::kMeanOverBags>);
  define(m, "embedding_bag_size_of_16_bits", kOneResult, embedding_bag<Make::kSizeOf16Bits>);
  define(m, "embedding_bag_row_of_index_before", kOneResult,
         embedding_bag<Make::kRowOfIndexBefore>);
  define(m, "embedding_bag_padding_counted", kPadded, embedding_bag_padded<Make::kPaddingCounted>);
  define(m, "embedding_bag_padding_not_wrapped", kPadded,
         embedding_bag_padded<Make::kPaddingNotWrapped>);
  define(m, "embedding_bag_doubled_by_flags", kPadded, embedding_bag_padded<Make::kDoubledByFlags>);
  define(m, "embedding_bag_empty_last_max_of_row_before", kOneResult,
         embedding_bag<Make::kEmptyLastMaxOfRowBefore>);
  define(m, "embedding_bag_empty_as_bag_before", kOneResult,
         embedding_bag<Make::kEmptyAsBagBefore>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "embedding_bag_strided", kOneResult, embedding_bag<Make::kReference>);
  define(m, "embedding_bag_padded_strided", kPadded, embedding_bag_padded<Make::kReference>);
  define(m, "embedding_bag_weighted_strided", kWeighted, bag_rows<Make::kReference>);
  define(m, "embedding_bag_added_quotients", kOneResult, embedding_bag<Make::kAddedQuotients>);
  define(m, "embedding_bag_by_offset2bag", kAllResults, embedding_bag_by_offset2bag);
  define(m, "embedding_bag_weighted_by_offset2bag", kWeighted,
         embedding_bag_weighted_by_offset2bag);
}

}  // namespace
}  // namespace planted
