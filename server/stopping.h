// Ends a server within a time limit, even if something hangs.
//
// - At the signal, /readyz changes to 503. For the time `lame_duck`, the server still serves
//   everything, so that load balancers can move its clients to another server.
// - Then it accepts no new connections, and answers requests in flight until the drain ends.
// - Then it cancels running statements and ends its threads.
// - kAfterDrain later the process ends, even if something hangs.
#pragma once

#include <chrono>
#include <csignal>

#include "core/base/threads.h"
#include "server/db/connection_pool.h"

namespace tunehub::server {

// A signal's meaning for the server's main thread.
enum class Told { kNothing, kStop, kReload };

class Signals {
 public:
  // Blocks SIGTERM, SIGINT and SIGHUP, so that only Wait() receives them. Construct it before any
  // thread, since threads inherit the block.
  Signals();

  // Returns at a signal or after the pause. SIGHUP means kReload, except that it means kStop if it
  // comes because the server's terminal closes.
  Told Wait(std::chrono::milliseconds pause) const;

 private:
  sigset_t set_;
  bool of_a_terminal_;
};

// The longest drain, from the signal on. A service manager waits twice as long as kLongestDrain +
// kAfterDrain.
inline constexpr std::chrono::milliseconds kLongestDrain{9'000};
inline constexpr std::chrono::milliseconds kAfterDrain{5'500};
// The longest lame duck. The rest of the drain is for requests in flight.
inline constexpr std::chrono::milliseconds kLongestLameDuck{7'000};

// Ends the process after `limit`, with status 1 and a line in the log, unless it ends earlier. Like
// a kill, this loses nothing, because the database has every commit.
void EndWithin(std::chrono::milliseconds limit);

// Makes `thread` cancel running statements repeatedly until somebody stops `thread`. One cancel is
// not enough, because another thread may be between two statements.
void EndStatements(ConnectionPool& pool, core::WokenThread& thread);

}  // namespace tunehub::server
