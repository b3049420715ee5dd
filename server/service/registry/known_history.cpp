#include "server/service/registry/known_history.h"

namespace tunehub::service {

void KnownHistory::Saw(const core::Pin& revision) {
  const std::lock_guard lock(mutex_);
  // Of two with one number the one that is lost stays, until that was noticed.
  if (newest_.number < revision.number) newest_ = revision;
}

void KnownHistory::Expect(const core::Pin& revision) {
  Saw(revision);
  std::int64_t known = expected_.load();
  while (known < revision.number && !expected_.compare_exchange_weak(known, revision.number)) {
  }
}

core::Pin KnownHistory::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

void KnownHistory::Forget(const core::Pin& lost) {
  const std::lock_guard lock(mutex_);
  if (newest_ == lost) newest_ = {};
}

}  // namespace tunehub::service
