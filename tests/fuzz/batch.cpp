// A batch in the spool. What is read is written and read again the same.
#include "agent/hub/batch_file.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/oracle.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  const auto batch = agent::ParseBatch(fuzz::TextOf(data, size));
  if (!batch.ok()) return 0;
  const std::string written = agent::RenderBatch(batch->header, batch->body);
  const auto again = agent::ParseBatch(written);
  fuzz::Hold(again.ok() && again->body == batch->body, "a batch that was written is read");
  fuzz::Hold(agent::RenderBatch(again->header, again->body) == written, "with the same header");
  return 0;
}
