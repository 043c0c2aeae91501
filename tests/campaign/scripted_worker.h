#pragma once
// A script in the place of the program that runs kernels: it says what a test wants it to.

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "../cli/command.h"
#include "campaign/workers/zygote_client.h"

namespace indexfuzz {

inline WorkerCommand script(const Scratch& scratch, const std::string& lines) {
  WorkerCommand command;
  command.executable = scratch.write("worker", "#!/bin/sh\n" + lines + "\n");
  std::filesystem::permissions(command.executable, std::filesystem::perms::owner_all);
  return command;
}

/// A line that sends a message to the supervisor. `number`: a shell's arithmetic expression.
inline std::string say(Message::Type type, int slot, const std::string& number) {
  static_assert(sizeof(Message) == 12 && std::endian::native == std::endian::little);
  std::string format, arguments;
  const auto add = [&](const std::string& word) {
    for (const char* shift : {"0", "8", "16", "24"}) {
      format += "\\\\%03o";
      arguments += " $(((" + word + ") >> " + shift + " & 255))";
    }
  };
  add(std::to_string(static_cast<int>(type)));
  add(std::to_string(slot));
  add(number);
  return "printf \"$(printf '" + format + "'" + arguments + ")\" >&3\n";
}
inline std::string say_hello() {
  return say(Message::Type::kHello, -1, "0");
}

/// Lines that hold the script up until the test has written a file of this name.
inline std::string await(const Scratch& scratch, const std::string& file) {
  return "until test -e " + scratch / file + "; do sleep 0.01; done\n";
}

/// Lines that write a process' number into a file, as a whole.
inline std::string note(const std::string& number, const Scratch& scratch,
                        const std::string& file) {
  return "echo " + number + " > " + scratch / "new" + "; mv " + scratch / "new" + " " +
         scratch / file + "\n";
}

/// Puts down what the script cannot, before it is read.
inline void write_hello(
    SharedMemory& memory,
    std::string_view text = R"({"torch": "2.11.0", "libfuzzer": false, "implementations": []})") {
  memory.hello_size = text.size();
  std::memcpy(memory.hello, text.data(), text.size());
}

}  // namespace indexfuzz
