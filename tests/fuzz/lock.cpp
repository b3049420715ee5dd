// tunehub.lock. If a lock file can be read, it must be the same after writing and reading.
#include "agent/hub/lock_file.h"
#include "tests/fuzz/scratch_file.h"
#include "tests/fuzz/target.h"

namespace tunehub::fuzz {
namespace {

bool IsSame(const agent::LockedTable& a, const agent::LockedTable& b) {
  return a.family == b.family && a.reader == b.reader && a.query == b.query &&
         a.revision == b.revision && a.sha256 == b.sha256 && a.file == b.file;
}

}  // namespace
}  // namespace tunehub::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  const fuzz::ScratchFile file(fuzz::TextOf(data, size));
  const auto lock = agent::LockFile::Load(file.path());
  if (!lock.ok()) return 0;
  fuzz::Hold(lock->Save(file.path()).ok(), "a lock that was read is written");
  const auto again = agent::LockFile::Load(file.path());
  fuzz::Hold(again.ok() && again->hub == lock->hub, "a lock that was written is read");
  fuzz::Hold(again->tables.size() == lock->tables.size(), "with as many tables");
  for (std::size_t i = 0; i < lock->tables.size(); ++i)
    fuzz::Hold(fuzz::IsSame(lock->tables[i], again->tables[i]), "each the same");
  return 0;
}
