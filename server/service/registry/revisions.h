// The revisions there are, as the database numbers them: what is in memory may lag behind. Every
// call may throw Unavailable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "server/service/registry/found_pins.h"
#include "server/store/store.h"

namespace tunehub::service {

using store::RevisionRecord;

class Revisions {
 public:
  explicit Revisions(store::Store& store) : store_(store) {}

  core::Pin Newest() const { return store_.revisions().ReadHeads().revision; }

  // With its token. Errors: unknown_revision, revision_gone.
  core::Result<core::Pin> Find(const core::Pin& revision) const {
    return store_.revisions().Find(revision);
  }

  // Asks once: a pin that was found is one for as long as the history is (SnapshotSet::era).
  core::Result<core::Pin> Find(const core::Pin& pin, int era) const {
    if (found_.Has(pin, era)) return pin;
    auto found = Find(pin);
    if (found.ok()) found_.Add(pin, era);
    return found;
  }

  // The newest first.
  std::vector<RevisionRecord> List(std::int64_t before_number, std::size_t limit) const {
    return store_.revisions().List(before_number, limit);
  }

  // The one that was in force `days` ago, without its families.
  std::optional<RevisionRecord> OfDaysAgo(int days) const {
    return store_.revisions().FindOfDaysAgo(days);
  }

 private:
  store::Store& store_;
  mutable FoundPins found_;
};

}  // namespace tunehub::service
