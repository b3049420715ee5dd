// A file of an engine's configs, as each store reads it. If it can be read, its members must be the
// same after writing and reading.
#include <algorithm>

#include "core/readers/file_body.h"
#include "core/readers/tunable_file.h"
#include "tests/fuzz/shipped_definitions.h"
#include "tests/fuzz/target.h"

namespace tunehub::fuzz {
namespace {

std::vector<std::pair<std::string, std::string>> MembersOf(const core::FileBody& body) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const core::BodyMember& member : body.members)
    members.emplace_back(member.name, member.config);
  std::sort(members.begin(), members.end());
  return members;
}

void ReadAndWrite(const core::ReaderStore& store, std::string_view bytes) {
  const auto body = core::ReadBody(store, bytes);
  if (!body.ok() || body->members.empty()) return;
  const auto again = core::ReadBody(store, core::WriteBody(store, body->members));
  Hold(again.ok(), "a file that was written is read");
  Hold(MembersOf(*again) == MembersOf(*body), "it has the same members");
}

void ReadAndWriteTunable(std::string_view bytes) {
  const core::TunableFile file = core::ReadTunableFile(bytes);
  const core::TunableFile again =
      core::ReadTunableFile(core::WriteTunableFile(file.validators, file.rows));
  Hold(again.rows.size() == file.rows.size(), "TunableOp's file has the same rows");
}

}  // namespace
}  // namespace tunehub::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  const std::string_view bytes = fuzz::TextOf(data, size);
  for (const core::Reader& reader : fuzz::ShippedDefinitions().readers.all())
    for (const core::ReaderStore& store : reader.stores)
      if (store.body != core::BodyKind::kTunable) fuzz::ReadAndWrite(store, bytes);
  fuzz::ReadAndWriteTunable(bytes);
  return 0;
}
