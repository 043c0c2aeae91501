// Basic blocks of machine code written by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "run/native/basic_blocks.h"

namespace indexfuzz {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::uint32_t> blocks(const std::vector<std::uint8_t>& code) {
  return BlockFinder().find(code);
}

TEST(BasicBlocks, BothSidesOfAConditionAreBlocks) {
  EXPECT_THAT(blocks({
                  0x85, 0xFF,                    // 0 test edi, edi
                  0x74, 0x04,                    // 2 je 8
                  0x31, 0xC0,                    // 4 xor eax, eax
                  0xC3,                          // 6 ret
                  0x90,                          // 7 nop
                  0xB8, 0x01, 0x00, 0x00, 0x00,  // 8 mov eax, 1
                  0xC3,                          // 13 ret
              }),
              ElementsAre(0, 4, 8));
}

TEST(BasicBlocks, LongJumpsForwardsAndBackwardsAndALoop) {
  EXPECT_THAT(blocks({
                  0x31, 0xC0,                          // 0 xor eax, eax
                  0xFF, 0xC0,                          // 2 inc eax
                  0x39, 0xF8,                          // 4 cmp eax, edi
                  0x0F, 0x8C, 0xF6, 0xFF, 0xFF, 0xFF,  // 6 jl 2
                  0xE9, 0x00, 0x00, 0x00, 0x00,        // 12 jmp 17
                  0xE3, 0xF9,                          // 17 jrcxz 12
                  0xC3,                                // 19 ret
              }),
              ElementsAre(0, 2, 12, 17, 19));
}

TEST(BasicBlocks, AJumpTableIsLeftOutAndWhatFollowsItsJumpIsABlock) {
  EXPECT_THAT(blocks({
                  0x3E, 0xFF, 0xE0,                    // 0 notrack jmp rax
                  0x66, 0x0F, 0x1F, 0x44, 0x00, 0x00,  // 3 nop: padding
                  0x31, 0xC0,                          // 9 xor eax, eax
                  0xF2, 0xEB, 0x02,                    // 11 bnd jmp 16
                  0x0F, 0x0B,                          // 14 ud2
                  0xC3,                                // 16 ret
              }),
              ElementsAre(0, 9, 14, 16));
}

TEST(BasicBlocks, CallsAndJumpsOutOfTheFunctionMakeNoBlock) {
  EXPECT_THAT(blocks({
                  0xE8, 0x00, 0x10, 0x00, 0x00,  // 0 call, far away
                  0x75, 0x70,                    // 5 jne, out of the function
                  0xE9, 0x00, 0x10, 0x00, 0x00,  // 7 jmp, out of it too
              }),
              ElementsAre(0, 7));
}

TEST(BasicBlocks, VectorInstructionsAreUnderstood) {
  EXPECT_THAT(blocks({
                  0xC5, 0xF8, 0x57, 0xC0,              // 0 vxorps xmm0, xmm0, xmm0
                  0xC4, 0xE2, 0x7D, 0x58, 0xC0,        // 4 vpbroadcastd ymm0, xmm0
                  0x62, 0xF1, 0x7C, 0x48, 0x58, 0xC0,  // 9 vaddps zmm0, zmm0, zmm0
                  0x72, 0x03,                          // 15 jb 20
                  0xC5, 0xF8, 0x77,                    // 17 vzeroupper
                  0xC3,                                // 20 ret
              }),
              ElementsAre(0, 17, 20));
}

TEST(BasicBlocks, WhatIsNoCodeToTheLastByteHasNone) {
  EXPECT_THAT(blocks({}), IsEmpty());
  EXPECT_THAT(blocks({0xC3, 0x0F}), IsEmpty());              // ends within an instruction
  EXPECT_THAT(blocks({0xC3, 0x06, 0xC3}), IsEmpty());        // no instruction of 64-bit code
  EXPECT_THAT(blocks({0x31, 0xC0, 0xEB, 0xFD}), IsEmpty());  // jumps into its first instruction
}

}  // namespace
}  // namespace indexfuzz
