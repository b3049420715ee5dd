// Tells another system about slower rows, misses, rows that wait for a confirmation, and parked
// jobs. A thread looks at committed state and posts one JSON object for each event.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/base/threads.h"
#include "server/http/post.h"
#include "server/insight/differences.h"
#include "server/webhook/notice_store.h"

namespace tunehub::server {

enum class NoticeOutcome { kSent, kRetried, kLost };
inline constexpr std::array kNoticeOutcomes = {"sent", "retried", "lost"};

class Webhook {
 public:
  Webhook(http::WebAddress address, const Definitions& definitions, ConnectionPool& pool,
          const Snapshots& snapshots, Differences& differences)
      : address_(std::move(address)),
        definitions_(definitions),
        snapshots_(snapshots),
        differences_(differences),
        store_(pool) {}

  // Has no effect without an address.
  void Start();
  void Stop() { thread_.Stop(); }

  std::uint64_t Count(NoticeOutcome outcome) const {
    return counts_[static_cast<std::size_t>(outcome)];
  }

 private:
  void Follow();
  void Look();
  // Returns the rows that got slower from a revision to a later one, by table.
  std::vector<SlowerRows> SlowerSince(std::int64_t from, std::int64_t to);
  // Sends a due notice. Returns false if none is due, or if sending failed.
  bool SendNext();
  std::string BodyOf(const Notice& notice) const;

  const http::WebAddress address_;
  const Definitions& definitions_;
  const Snapshots& snapshots_;
  Differences& differences_;
  NoticeStore store_;
  std::array<std::atomic<std::uint64_t>, kNoticeOutcomes.size()> counts_{};
  core::WokenThread thread_;  // last: it ends before the members that it uses are destroyed
};

}  // namespace tunehub::server
