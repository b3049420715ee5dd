// A tuner's journal. A tuner must be able to continue with any journal. The first open moves
// damaged lines to another file. The second open finds no damage and loses no line.
#include "agent/search/session.h"
#include "tests/fuzz/scratch_file.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  using agent::Journal;
  const fuzz::ScratchFile file(fuzz::TextOf(data, size));
  const agent::NewRun run{"key", nlohmann::json::object()};
  std::size_t done = 0, screened = 0;
  {
    const auto journal = Journal::Open(file.path(), run);
    if (!journal.ok()) return 0;
    done = journal->done().size();
    screened = journal->screened().size();
  }
  const auto again = Journal::Open(file.path(), run);
  fuzz::Hold(again.ok(), "a journal is opened again");
  fuzz::Hold(again->damage().empty(), "what was damaged is aside");
  fuzz::Hold(again->done().size() == done && again->screened().size() == screened,
             "it has what it had");
  return 0;
}
