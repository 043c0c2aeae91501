#pragma once
// The judge's verdict on one call: a plain value of fixed size, so that it can be passed through
// shared memory.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace indexfuzz {

/// The kind of a finding. If several apply to a call that returned or refused, judge() reports the
/// first of: damaged memory, a changed input, how the call ended, the result, its values.
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
inline constexpr std::size_t kKindCount = static_cast<std::size_t>(Kind::kGradient) + 1;
std::string_view name(Kind kind);  ///< "crash", "value"
std::optional<Kind> kind_from_name(std::string_view name);
/// Whether a machine that is busy or short of memory may cause this for a correct call.
constexpr bool may_be_the_machine(Kind kind) {
  return kind == Kind::kHang || kind == Kind::kOom || kind == Kind::kLeak || kind == Kind::kDevice;
}

/// What came of one call.
enum class Status : std::uint8_t {
  kAgreed,  ///< at least one element judged, or a demanded refusal given
  /// Nothing to judge: an empty result, or an illegal case that a custom kernel accepted under a
  /// rule with kMayReturnAnything.
  kVacuous,
  kRefused,      ///< a custom kernel refused a legal case by an ordinary error: it narrowed itself
  kUnsupported,  ///< "not implemented for" this dtype
  kFinding,
};

/// What the judge says of one call. `kind` is of findings only; a field that does not apply to a
/// verdict keeps its default.
struct Verdict {
  Status status = Status::kAgreed;
  Kind kind = Kind::kValue;
  std::int8_t operand = -1;       ///< the operand concerned; -1 for a fresh result, or none
  std::int8_t signal = 0;         ///< that ended the process; 0: none
  bool took_before = false;       ///< made by stopped_taking()
  std::uint32_t error_class = 0;  ///< error_class() of the message; 0 without one
  std::int64_t element = -1;      ///< logical row-major index of the first wrong element
  std::int64_t wrong_elements = 0;
  std::uint8_t value_bytes = 0;  ///< valid bytes of expected and actual
  std::array<std::byte, 16> expected{};
  std::array<std::byte, 16> actual{};
  std::array<char, 256> message{};  ///< one line, zero-terminated
};

/// A verdict that was read from memory which a kernel may have overwritten: each field is clamped
/// to its bounds. `operands`: how many operands the case has.
Verdict sound(Verdict verdict, std::size_t operands);

/// An error message with `#` for every number with its sign and every list of numbers, and `T` for
/// every dtype: "expand(T{[#]}, size=[#])". Of lists in a row, the first stands for all. So the
/// form does not depend on the sizes, ranks, dtypes or number of a case's operands. Idempotent.
std::string general_form(std::string_view message);
/// A hash of the message's general form; never 0.
std::uint32_t error_class(std::string_view message);
/// How the message of refused_by_contents() begins.
inline constexpr std::string_view kRefusedByContents =
    "refused for what lay beside its operands, or in memory that it had freed or never written: ";
/// A verdict's message without kRefusedByContents: what the kernel said itself, as in any other
/// refusal.
std::string_view own_words(std::string_view message);
/// error_class() of the own_words() of a verdict's message.
std::uint32_t class_of_message(std::string_view message);
/// Sets the message to the first line of `text`, in printable ASCII, cut to fit.
void set_message(Verdict& verdict, std::string_view text);

/// Part of the message for a call that turned grad mode off. program_plan() looks for it to make
/// the exported programs begin with grad mode on.
inline constexpr std::string_view kGradModeToOff = "grad mode to off";

/// Part of the message for a call that changed the warning handler, which a Python program cannot
/// notice.
inline constexpr std::string_view kWarningHandler = "the warning handler";

/// Messages of the judge, or their beginnings, that other code compares with.
inline constexpr std::string_view kWrongShape = "the result has shape ";  ///< a beginning
inline constexpr std::string_view kWrongDtype = "the result has dtype ";  ///< a beginning
/// A beginning, also of the error by which a call without data says so.
inline constexpr std::string_view kOtherStrides = "without data the result has strides ";
inline constexpr std::string_view kSharesWithOperand = "the result shares memory with an operand";
inline constexpr std::string_view kAnotherTensor = "returned another tensor than the one it writes";

/// Whether the call ended its process, or the process had to be ended.
bool ends_process(const Verdict& verdict);

/// A verdict other than a finding. `message`: what the implementation said.
Verdict no_finding(Status status, std::string_view message);
/// A finding about operand `operand`; -1 for a fresh result, or none. Its error class is 0.
Verdict finding(Kind kind, int operand, std::string_view message);
/// As finding(), with the error class of the message, which distinguishes findings of one kind.
Verdict finding_by_message(Kind kind, int operand, std::string_view message);
/// The finding for a custom kernel that refuses a legal case but accepted such cases before; had it
/// always refused them, it would only have narrowed itself.
Verdict stopped_taking(const Verdict& refused);
/// The finding for a refusal that does not occur if something else lies beside the operands, or in
/// freed or unwritten memory.
Verdict refused_by_contents(const Verdict& refused);
/// Counts a wrong element, and keeps the index and the bytes of the first one.
void note_element(Verdict& verdict, std::int64_t element, std::size_t bytes,
                  const std::byte* expected, const std::byte* actual);

}  // namespace indexfuzz
