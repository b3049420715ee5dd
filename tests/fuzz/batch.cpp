// A batch of the spool. The target corrects the body's size and digest, because random bytes never
// match them. If the batch can be read, it must be the same after writing and reading.
#include "agent/hub/spool.h"
#include "core/base/hash.h"
#include "core/base/read_json.h"
#include "tests/fuzz/target.h"

namespace tunehub::fuzz {
namespace {

std::string Repaired(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return std::string(bytes);
  nlohmann::json header = core::ReadJson(bytes.substr(0, end));
  if (!header.is_object()) return std::string(bytes);
  const std::string_view body = bytes.substr(end + 1);
  header["bytes"] = body.size();
  header["sha256"] = core::Sha256Hex(body);
  return header.dump() + "\n" + std::string(body);
}

}  // namespace
}  // namespace tunehub::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  const auto batch = agent::ParseBatch(fuzz::Repaired(fuzz::TextOf(data, size)));
  if (!batch.ok()) return 0;
  const std::string written = agent::RenderBatch(batch->header, batch->body);
  const auto again = agent::ParseBatch(written);
  fuzz::Hold(again.ok() && again->body == batch->body, "a batch that was written is read");
  fuzz::Hold(agent::RenderBatch(again->header, again->body) == written, "with the same header");
  return 0;
}
