// A tuner's journal. Whatever it has, a tuner goes on with it; what was set aside once is not found
// damaged again, and nothing that was kept is lost by opening it twice.
#include "agent/search/session.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/oracle.h"
#include "tests/fuzz/scratch_file.h"

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
