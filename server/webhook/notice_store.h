// The webhook's notices in PostgreSQL. Several servers may share a database; each notice has one
// sender at a time. Every call may throw Unavailable.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tunehub::server {

class ConnectionPool;

// Rows of one table that got slower.
struct SlowerRows {
  std::int16_t family = 0;
  std::string gfx;
  int cu_num = 0;
  std::int64_t count = 0;
};

struct Notice {
  std::int64_t id = 0;
  std::string event;  // slower, missing, unconfirmed or parked
  std::int16_t family = 0;
  std::string gfx;
  int cu_num = 0;
  std::int64_t count = 0;
  std::string about;  // JSON array of numbers
  int tries = 0;      // with this one
  std::string made;
};

class NoticeStore {
 public:
  explicit NoticeStore(ConnectionPool& pool) : pool_(pool) {}

  // Returns the last compared revision; on the first call, the current revision.
  std::int64_t Compared();
  // Stores what got slower from the last compared revision to another one, and new notices of other
  // events. Does nothing while another server does it, or if another server has done it.
  void Add(std::int64_t compared, std::int64_t to, const std::vector<SlowerRows>& slower);
  // Takes a due notice. It is due again after a pause, which doubles with each try.
  std::optional<Notice> Claim(std::chrono::milliseconds first_pause,
                              std::chrono::milliseconds longest_pause);
  void End(std::int64_t id);  // the notice is sent or given up

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
