// What the server's main thread is told by signals.
#pragma once

#include <csignal>
#include <ctime>

namespace tunehub::server {

enum class Told { kNothing, kStop, kReload };

class Signals {
 public:
  // Blocks SIGTERM, SIGINT and SIGHUP. Before any thread is made, so that all inherit it: the one
  // that calls Wait() takes them alone.
  Signals();

  // Until one comes, or the pause is over. SIGHUP asks to read files again, unless it is the end of
  // the terminal that the server was started from, which ends the server.
  Told Wait(const timespec& pause) const;

 private:
  sigset_t set_;
  bool of_a_terminal_;
};

}  // namespace tunehub::server
