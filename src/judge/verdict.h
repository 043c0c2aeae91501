#pragma once
// What the judge says of one call; a plain value of fixed size, so that it travels through shared
// memory.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace indexfuzz {

/// What kind of finding. Of several that apply to a call that returned or refused, judge() reports
/// damaged memory first, then a changed input, how the call ended, the result, its values.
enum class Kind : std::uint8_t {
  kCrash = 0,
  kHang,
  kOom,
  kMemory,
  kInput,
  kAccept,
  kRefusal,
  kAssert,
  kMetadata,
  kValue,
  kNondeterminism,
  kLeak,
  kDevice,
  kGradient,
};
std::string_view name(Kind kind);  ///< "crash", "value"
std::optional<Kind> kind_from_name(std::string_view name);
/// Whether a busy machine, or one short of memory, may show the same of a right call.
constexpr bool may_be_the_machine(Kind kind) {
  return kind == Kind::kHang || kind == Kind::kOom || kind == Kind::kLeak || kind == Kind::kDevice;
}

enum class Status : std::uint8_t {
  kAgreed,       ///< at least one element judged, or a demanded refusal given
  kVacuous,      ///< nothing to judge (an empty result)
  kRefused,      ///< a custom kernel refused a legal case by an ordinary error: it narrowed itself
  kUnsupported,  ///< "not implemented for" this dtype
  kFinding,
};

struct Verdict {
  Status status = Status::kAgreed;
  Kind kind = Kind::kValue;
  std::int8_t operand = -1;  ///< role: the operand concerned, -1 for a fresh result
  std::int8_t signal = 0;    ///< of a crash
  bool took_before = false;  ///< of a refusal: it would be narrowing, had it come from the start
  std::uint32_t error_class = 0;  ///< error_class() of the message; 0 without one
  std::int64_t element = -1;      ///< logical row-major index of the first wrong element
  std::int64_t wrong_elements = 0;
  std::uint8_t value_bytes = 0;  ///< valid bytes of expected and actual
  std::array<std::byte, 16> expected{};
  std::array<std::byte, 16> actual{};
  std::array<char, 256> message{};  ///< one line, zero-terminated
};

/// A verdict out of memory that a kernel may have written over: each field within its bounds, for a
/// case with so many operands.
Verdict sound(Verdict verdict, std::size_t operands);

/// An error message in which every number with its sign and every list of numbers is `#`, every
/// dtype `T`, so that neither the sizes nor the rank nor the dtype of a case makes another one:
/// "expand(T{[#]}, size=[#])". Of such a form it is the form itself.
std::string general_form(std::string_view message);
/// A hash of that form. Never 0.
std::uint32_t error_class(std::string_view message);
void set_message(Verdict& verdict, std::string_view text);

/// In the message of a call that leaves grad mode off: its programs begin with it on.
inline constexpr std::string_view kGradModeToOff = "grad mode to off";

/// What a call may change that no program written in Python sees.
inline constexpr std::string_view kWarningHandler = "the warning handler";

/// What the judge says of results, where more than the sentence itself depends on it.
inline constexpr std::string_view kWrongShape = "the result has shape ";  ///< and more behind it
inline constexpr std::string_view kWrongDtype = "the result has dtype ";  ///< the same
inline constexpr std::string_view kSharesWithOperand = "the result shares memory with an operand";
inline constexpr std::string_view kAnotherTensor = "returned another tensor than the one it writes";

/// Whether the call ended its process, or the process had to be ended.
bool ends_process(const Verdict& verdict);

/// A finding; `operand` is its role, -1 for a fresh result.
Verdict finding(Kind kind, int operand, std::string_view message);
/// The same where its message tells it from others of its kind.
Verdict finding_by_message(Kind kind, int operand, std::string_view message);
/// What a custom kernel's refusal of a legal case is where it took such cases before.
Verdict stopped_taking(const Verdict& refused);
/// What it is where the kernel takes such a case as soon as free memory holds something else.
Verdict refused_by_contents(const Verdict& refused);
/// Counts a wrong element, and keeps the first one's place and bytes.
void note_element(Verdict& verdict, std::int64_t element, std::size_t bytes,
                  const std::byte* expected, const std::byte* actual);

}  // namespace indexfuzz
