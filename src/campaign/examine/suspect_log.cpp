#include "campaign/examine/suspect_log.h"

#include <nlohmann/json.hpp>
#include <string>

#include "ops/text/case_text.h"
#include "reproduce/wrong_elements.h"

namespace indexfuzz {
void log_suspect(Store& store, std::string_view event, const Suspect& suspect, const Hello& hello,
                 std::uint64_t seed, int runs) {
  std::string message = suspect.verdict.message.data();
  if (message.empty()) message = wrong_elements(suspect.verdict, suspect.c);
  store.log({{"event", event},
             {"implementation", name_of(hello, suspect.implementation)},
             {"kind", name(suspect.verdict.kind)},
             {"message", message},
             {"runs", runs},
             {"engine", name(suspect.engine)},
             {"seed", seed},
             {"worker", suspect.worker},
             {"case", suspect.case_number},
             {"text", to_text(suspect.c)}});
}

void log_unlocated(Store& store, const Suspect& batch, std::uint64_t seed) {
  store.log({{"event", "unlocated"},
             {"message", batch.verdict.message.data()},
             {"seed", seed},
             {"worker", batch.worker},
             {"first", batch.case_number},
             {"end", batch.batch_end}});
}

void log_located(Store& store, const Suspect& located, const Hello& hello) {
  store.log({{"event", "located"},
             {"implementation", name_of(hello, located.implementation)},
             {"worker", located.worker},
             {"case", located.case_number},
             {"text", to_text(located.c)}});
}

}  // namespace indexfuzz
