// The end of a server that was told to stop: however long something hangs, it is over in time.
//
// - At the signal /readyz turns to 503, and all is served for `lame_duck` more: whoever sends
//   requests here learns to send them elsewhere.
// - Then no new connections are taken; what is in flight is answered, until kDrainEnd.
// - Then statements that still run are cancelled, and threads end.
// - At kStopLimit the process ends, whatever hangs.
#pragma once

#include <chrono>
#include <csignal>

#include "core/base/threads.h"
#include "server/db/connection_pool.h"

namespace tunehub::server {

// What the server's main thread is told by signals.
enum class Told { kNothing, kStop, kReload };

class Signals {
 public:
  // Blocks SIGTERM, SIGINT and SIGHUP. Before any thread is made, so that all inherit it: the one
  // that calls Wait() takes them alone.
  Signals();

  // Until one comes, or the pause is over. SIGHUP asks to read files again, unless it is the end of
  // the terminal that the server was started from, which ends the server.
  Told Wait(std::chrono::milliseconds pause) const;

 private:
  sigset_t set_;
  bool of_a_terminal_;
};

// All from the signal on. A service manager's patience is twice as long.
inline constexpr std::chrono::milliseconds kDrainEnd{9'000};
inline constexpr std::chrono::milliseconds kStopLimit{14'500};
// So much is left for what is in flight.
inline constexpr std::chrono::milliseconds kLongestLameDuck{7'000};

// From now on the process ends within `limit`, with status 1 and a line that says so where nothing
// else ends it before. What a kill may do to it, this may: the database has every commit.
void EndWithin(std::chrono::milliseconds limit);

// Has `thread` cancel statements again and again until it is stopped, since one of the server's may
// be between two of them.
void EndStatements(ConnectionPool& pool, core::WokenThread& thread);

}  // namespace tunehub::server
