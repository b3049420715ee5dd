// What this server has taken in since its start, for figures.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/base/histogram.h"
#include "server/service/ingest/receipt.h"

namespace tunehub::service {

struct IngestFigures {
  // From a row to a whole tree.
  static constexpr double kSeconds[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                        0.5,   1,    2.5,   5,    10,  30};

  // Rows of batches that were stored.
  std::atomic<std::uint64_t> stored{0}, unchanged{0}, folded{0}, rejected{0};
  std::atomic<std::uint64_t> quarantined{0};             // of the stored ones: never served
  core::Histogram results{kSeconds}, imports{kSeconds};  // seconds, refused ones among them

  // A batch that the store took for the first time, and keeps.
  void Count(const std::vector<FileReport>& reports, const store::BatchOutcome& outcome) {
    for (const FileReport& report : reports) {
      folded += report.folded;
      rejected += report.rejected.size();
      quarantined += report.quarantined.size();
    }
    for (const auto& [id, family] : outcome.families) stored += family.stored;
    unchanged += outcome.unchanged;
    rejected += outcome.contradicting.size();
  }
};

}  // namespace tunehub::service
