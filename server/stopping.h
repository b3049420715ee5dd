// The end of a server that was told to stop: however long something hangs, it is over in time.
//
// - At the signal /readyz turns to 503, and all is served for `lame_duck` more: whoever sends
//   requests here learns to send them elsewhere.
// - Then no new connections are taken; what is in flight is answered, until kDrainEnd.
// - Then statements that still run are cancelled, and threads end.
// - At kStopLimit the process ends, whatever hangs.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "server/store/store.h"

namespace tunehub::server {

// All from the signal on. A service manager's patience is twice as long.
inline constexpr std::chrono::milliseconds kDrainEnd{9'000};
inline constexpr std::chrono::milliseconds kStopLimit{14'500};
// So much is left for what is in flight.
inline constexpr std::chrono::milliseconds kLongestLameDuck{7'000};

// From now on the process ends within `limit`, with status 1 and a line that says so where nothing
// else ends it before. What a kill may do to it, this may: the database has every commit.
void EndWithin(std::chrono::milliseconds limit);

class StatementsEnd {
 public:
  // `store` must outlive it.
  explicit StatementsEnd(store::Store& store) : store_(store) {}
  ~StatementsEnd();
  StatementsEnd(const StatementsEnd&) = delete;
  StatementsEnd& operator=(const StatementsEnd&) = delete;

  // Statements are cancelled again and again from now on: a thread may be between two of them.
  void Begin();

 private:
  store::Store& store_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace tunehub::server
