// The body of POST /differences, which is a tunehub.lock. The server must accept each entry that an
// agent reads and writes. Each text about an entry must be valid in JSON.
#include "server/insight/differences.h"

#include "agent/hub/lock_file.h"
#include "tests/fuzz/json_text.h"
#include "tests/fuzz/scratch_file.h"
#include "tests/fuzz/shipped_definitions.h"
#include "tests/fuzz/target.h"
#include "tests/support/shipped.h"

namespace tunehub::fuzz {
namespace {

void HoldOfLock(const server::LockRevisions& lock) {
  const std::size_t entries = lock.tables.size() + lock.left_out.size();
  Hold(entries >= 1 && entries <= server::kMostLocked, "as many tables as are allowed");
  for (const server::LockedRevision& table : lock.tables) {
    Hold(table.family != nullptr, "a table has its family");
    Hold(core::ParsePin(table.revision.Text()) == table.revision, "a pin is read again the same");
    for (const core::Target& target : table.targets) HoldSent(target.gfx);
  }
  for (const std::string& why : lock.left_out) HoldSent(why);
}

}  // namespace
}  // namespace tunehub::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  const std::string_view body = fuzz::TextOf(data, size);
  const server::Definitions& definitions = fuzz::ShippedDefinitions();
  const auto lock = server::ReadLock(definitions, body);
  if (lock.ok()) {
    fuzz::HoldOfLock(*lock);
  } else {
    fuzz::Hold(lock.error().code == "bad_lock", "the one code that is declared");
  }
  const fuzz::ScratchFile file(body);
  const auto own = agent::LockFile::Load(file.path());
  if (!own.ok() || own->tables.empty()) return 0;
  fuzz::Hold(own->Save(file.path()).ok(), "an agent's lock is written");
  const auto sent = server::ReadLock(definitions, test::ReadText(file.path()));
  fuzz::Hold(sent.ok(), "an agent's lock is taken");
  fuzz::Hold(sent->tables.size() + sent->left_out.size() == own->tables.size(), "all of it");
  return 0;
}
