#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "ops/definition/operator.h"
#include "ops/text/case_text.h"
#include "reproduce/reproduction.h"

namespace indexfuzz {

/// Of the first case in the text, as if a verdict of this kind had been passed on ATen.
inline Reproduction reproduction_of(std::string_view text, Kind kind) {
  const ParsedCases parsed = parse_cases(text);
  EXPECT_EQ(parsed.error, "");
  Reproduction r;
  r.c = parsed.cases.at(0);
  r.verdict.status = Status::kFinding;
  r.verdict.kind = kind;
  r.call.implementation = "aten:cpu";
  r.call.python = form_of(r.c)->python;
  r.call.cpp = form_of(r.c)->cpp;
  r.signature = "index_select aten:cpu value";
  r.torch_version = "2.11.0";
  r.reruns = {10, 10};
  return r;
}

inline constexpr std::string_view kStrided =
    "indexfuzz case 1\n"
    "index_select functional dim=1\n"
    "self float32 (2, 3) order=(1, 0)\n"
    "index int64 (2) fill=last\n";
inline constexpr const char* kOutOfRange =
    "indexfuzz case 1\nindex_select functional breaks=index_above\nself float32 (2)\nindex int64 "
    "(1) fill=last\n";

}  // namespace indexfuzz
