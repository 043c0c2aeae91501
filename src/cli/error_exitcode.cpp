#include "cli/error_exitcode.h"

#include "campaign/failure.h"

namespace indexfuzz {

void ErrorExitcode::add_to(CLI::App& command) {
  command.add_option("--error-exitcode", asked, "exit code to use instead of 77")->type_name("N");
}

int ErrorExitcode::code() const {
  if (asked < 0 || asked > 255) throw SetupError("--error-exitcode takes 0 to 255.");
  return asked;
}

}  // namespace indexfuzz
