// Ends a server within a time limit, even if something hangs.
//
// - At the signal /readyz turns to 503. For `lame_duck` the server still serves everything: its
//   clients learn to use another server.
// - Then it takes no new connections, and answers requests in flight until the drain ends.
// - Then it cancels statements that still run, and threads end.
// - kAfterDrain later the process ends, whatever hangs.
#pragma once

#include <chrono>
#include <csignal>

#include "core/base/threads.h"
#include "server/db/connection_pool.h"

namespace tunehub::server {

// A signal's message to the server's main thread.
enum class Told { kNothing, kStop, kReload };

class Signals {
 public:
  // Blocks SIGTERM, SIGINT and SIGHUP. Make it before any thread: all threads inherit the block,
  // and only Wait() takes the signals.
  Signals();

  // Returns at a signal, or after the pause. SIGHUP asks to read files again. But a SIGHUP from a
  // terminal that closes stops the server that was started there.
  Told Wait(std::chrono::milliseconds pause) const;

 private:
  sigset_t set_;
  bool of_a_terminal_;
};

// Counts from the signal. A service manager waits twice as long as both together.
inline constexpr std::chrono::milliseconds kLongestDrain{9'000};
inline constexpr std::chrono::milliseconds kAfterDrain{5'500};
// The time from here to the drain's end is for requests in flight.
inline constexpr std::chrono::milliseconds kLongestLameDuck{7'000};

// The process ends within `limit`, with status 1 and a line that says so, unless it ends earlier.
// Like a kill, this loses nothing: the database has every commit.
void EndWithin(std::chrono::milliseconds limit);

// Makes `thread` cancel running statements again and again until it is stopped, since a server's
// thread may be between two statements.
void EndStatements(ConnectionPool& pool, core::WokenThread& thread);

}  // namespace tunehub::server
