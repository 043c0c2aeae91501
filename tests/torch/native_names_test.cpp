// Names as they stand in the symbol table of libtorch_cpu.so.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run/native/native_names.h"

namespace indexfuzz {
namespace {

TEST(NativeNames, AnIndexingNameHasAWordOfIt) {
  EXPECT_TRUE(is_indexing_name("_ZN2at6native13AdvancedIndexC2ERKNS_6TensorEN3c108ArrayRefIS2_EE"));
  EXPECT_TRUE(is_indexing_name("_ZN2at6native4takeERKNS_6TensorES3_"));
  EXPECT_FALSE(is_indexing_name("_ZN2at6native10log_outputERNS_6TensorE"));
  EXPECT_FALSE(is_indexing_name("_ZN2at8indexingERNS_6TensorE"));
}

TEST(NativeNames, PartsOfAFunctionHaveItsName) {
  EXPECT_EQ(indexing_function(
                "_ZN2at6native12_GLOBAL__N_117where_kernel_implERNS_14TensorIteratorE.cold"),
            "where_kernel_impl");
  EXPECT_EQ(indexing_function("_ZN2at6native13AdvancedIndexC2ERKNS_6TensorEN3c108ArrayRefIS2_EE"),
            "AdvancedIndex::AdvancedIndex");
  // The body of a parallel_for.
  EXPECT_EQ(
      indexing_function("_ZN2at8internal15invoke_parallelIZNS_12parallel_forIZNS_6native21index"
                        "_select_out_cpu_ERKNS_6TensorElS6_RS4_EUlllE_EEvlllRKT_EUlllE_"
                        "EEvlllSB_._omp_fn.0"),
      "index_select_out_cpu_");
  // The loop of a TensorIterator over a lambda, in the namespace of a CPU capability.
  EXPECT_EQ(
      indexing_function(
          "_ZN3c1012function_refIFvPPcPKlllEE11callback_fnIZN2at18TensorIteratorBase15loop_2d_"
          "from_1dIZNS8_6native4AVX210cpu_kernelIZZZNSB_12_GLOBAL__N_117where_kernel_"
          "implERNS8_14TensorIteratorEENKUlvE_clEvENKUlvE2_clEvEUlbbbE_EEvRS9_OT_"
          "lEUlS2_S4_lE_EEDaRKSL_EUlS2_S4_llE_EEvlS2_S4_ll"),
      "where_kernel_impl");
}

TEST(NativeNames, ATemplateIsNamedBehindTheFunctionThatUsesIt) {
  EXPECT_EQ(
      indexing_function("_ZN3c1012function_refIFvPPcPKlllEE11callback_fnIZN2at18TensorIteratorB"
                        "ase15loop_2d_from_1dIZNS8_6native12_GLOBAL__N_119cpu_take_put_"
                        "kernelIfZZZNSC_10put_kernelERNS8_14TensorIteratorERKNS8_"
                        "10TensorBaseEbENKUlvE_clEvENKUlvE_clEvEUlRfPflE_EEvSF_SI_bRKT0_"
                        "bEUlS2_S4_lE_EEDaRKT_EUlS2_S4_llE_EEvlS2_S4_ll"),
      "put_kernel: cpu_take_put_kernel");
}

TEST(NativeNames, ATemplateArgumentThatChoosesAnAlgorithmBelongsToTheName) {
  EXPECT_EQ(indexing_function("_ZN2at6native12_GLOBAL__N_133cpu_scatter_reduce_expanded_index"
                              "IdLNS0_13ReductionTypeE1EEEvRKNS_6TensorES6_S6_b"),
            "cpu_scatter_reduce_expanded_index<ReductionType 1>");
  EXPECT_EQ(
      indexing_function("_ZN2at6native12_GLOBAL__N_130cpu_scatter_gather_base_kernelILb1EEclINS1"
                        "_9ReduceAddEEEvRKNS_6TensorElS8_S8_RKNSt7__cxx1112basic_"
                        "stringIcSt11char_traitsIcESaIcEEERT_.constprop.0"),
      "cpu_scatter_gather_base_kernel<ReduceAdd>");
  EXPECT_EQ(indexing_function("_ZN2at6native6gatherERKNS_6TensorENS_7DimnameES3_b"),
            "gather<Dimname>");
}

TEST(NativeNames, AFunctionHandedOverIsNotTheFunctionItself) {
  const std::string upsample =
      "_ZN2at6nativeL33_upsample_nearest2d_quantized_cpuIXadL_ZNS0_37nearest_neighbor_compute_"
      "source_"
      "indexEfllEEEENS_6TensorERKS2_N3c108ArrayRefIlEESt8optionalIdES9_";
  EXPECT_TRUE(is_indexing_name(upsample));
  EXPECT_EQ(indexing_function(upsample), "");
  EXPECT_EQ(indexing_function("no mangled name"), "");
}

TEST(NativeNames, TheLongestOperatorInANameOwnsIt) {
  const std::vector<std::string> all{"index",   "index_put",      "masked_fill", "put",
                                     "scatter", "scatter_reduce", "take",        "_unsafe_index"};
  const std::vector<std::string> ours{"index", "index_put", "scatter", "masked_fill"};
  const auto is_ours = [&](const char* name) { return is_code_of(name, ours, all); };
  EXPECT_TRUE(is_ours("index_kernel: cpu_index_kernel"));
  EXPECT_TRUE(is_ours("index_put_kernel: cpu_index_kernel"));
  EXPECT_TRUE(is_ours("structured_scatter_src_out::impl"));
  EXPECT_TRUE(is_ours("AdvancedIndex::AdvancedIndex"));
  EXPECT_FALSE(is_ours("put_kernel: cpu_take_put_kernel"));
  EXPECT_FALSE(is_ours("structured_scatter_reduce_two::impl"));
  EXPECT_FALSE(is_ours("_unsafe_index"));
  EXPECT_FALSE(is_ours("masked_fill_impl_quantized_cpu"));
  EXPECT_TRUE(is_ours("cpu_scatter_gather_base_kernel<ReduceAdd>"));
  EXPECT_FALSE(is_ours("cpu_scatter_gather_base_kernel<ReduceMultiply>"));
  EXPECT_TRUE(is_code_of("cpu_scatter_gather_base_kernel<ReduceMultiply>",
                         std::vector<std::string>{"scatter", "scatter_reduce"}, all));
  EXPECT_FALSE(is_ours("make_bag_size"));
  EXPECT_FALSE(is_ours("is_fast_path_index_select"));
  for (const char* name : {"make_bag_size", "is_fast_path_index_select"})
    EXPECT_TRUE(is_code_of(name, std::vector<std::string>{"embedding_bag"}, all));
  EXPECT_FALSE(is_ours("index<Dimname>"));
  EXPECT_FALSE(is_ours("HelperInterpBase::_compute_index_ranges_weights"));
  EXPECT_FALSE(is_ours("make_index_put_iterator<AdvancedIndex>"));
}

TEST(NativeNames, WhatUnfoldsIsTheCodeOfThreeOperators) {
  const std::vector<std::string> all{"col2im", "im2col", "index", "unfold_backward"};
  for (const char* name : {"im2col_out_cpu", "col2im_out_cpu", "unfold_backward_cpu_kernel"}) {
    EXPECT_TRUE(is_code_of(name, all, all)) << name;
    EXPECT_FALSE(is_code_of(name, std::vector<std::string>{"index"}, all)) << name;
  }
  EXPECT_TRUE(is_indexing_name("_ZN2at6native10im2col_cpuERKNS_6TensorE"));
  EXPECT_FALSE(is_indexing_name("_ZN2at6native6unfoldERKNS_6TensorElll"));
}

TEST(NativeNames, OfPoolingOnlyTheCodeOfOperatorsCounts) {
  const std::vector<std::string> all{"adaptive_max_pool2d_backward",
                                     "max_pool2d_with_indices_backward", "index"};
  EXPECT_TRUE(is_code_of("cpu_adaptive_max_pool2d_backward", all, all));
  EXPECT_FALSE(is_code_of("cpu_adaptive_max_pool2d", all, all));
  EXPECT_FALSE(is_code_of("cpu_adaptive_avg_pool2d", all, all));
  EXPECT_FALSE(
      is_code_of("cpu_adaptive_max_pool2d_backward", std::vector<std::string>{"index"}, all));
  for (const char* name : {"structured_max_pool2d_with_indices_backward_out_cpu::impl",
                           "max_pool2d_backward_kernel_impl: cpu_max_pool_backward"}) {
    EXPECT_TRUE(is_code_of(name, all, all)) << name;
    EXPECT_FALSE(is_code_of(name, std::vector<std::string>{"index"}, all)) << name;
  }
  EXPECT_FALSE(is_code_of("max_pool2d_with_indices_out_cpu", all, all));
  EXPECT_FALSE(is_code_of("max_pool2d_kernel_impl: cpu_max_pool", all, all));
  const std::vector<std::string> forward{"max_pool2d_with_indices",
                                         "max_pool2d_with_indices_backward"};
  for (const char* name :
       {"max_pool2d_with_indices_out_cpu", "max_pool2d_kernel_impl: cpu_max_pool"})
    EXPECT_TRUE(is_code_of(name, forward, forward)) << name;
}

TEST(NativeNames, OfSortingOnlyTheCodeOfOperatorsCounts) {
  const std::vector<std::string> all{"cummax", "cummin", "index", "sort", "topk"};
  for (const char* name :
       {"sort_out", "structured_sort_stable_out::impl", "parallel_sort1d_kernel", "cummax_out",
        "cummin_helper_cpu", "cummax_cummin_helper", "topk_impl_loop"}) {
    EXPECT_TRUE(is_code_of(name, all, all)) << name;
    EXPECT_FALSE(is_code_of(name, std::vector<std::string>{"index"}, all)) << name;
  }
  EXPECT_TRUE(is_code_of("cummax_cummin_helper", std::vector<std::string>{"cummin"}, all));
  EXPECT_FALSE(is_code_of("_sort_dims", all, all));
  EXPECT_FALSE(is_code_of("sort_quantized_cpu_stable", all, all));
  EXPECT_FALSE(is_indexing_name("_ZN2at6native7argsortERKNS_6TensorElb"));
}

}  // namespace
}  // namespace indexfuzz
