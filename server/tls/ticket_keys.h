// The keys under which clients keep their own sessions (RFC 5077 tickets), shared by all reactors:
// a session made on one is resumed on another. They change with time, so that a key that leaks
// opens few sessions, and each is good for one life after its own.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>

namespace tunehub::tls {

struct TicketKey {
  std::array<unsigned char, 16> name{};
  std::array<unsigned char, 32> cipher{}, mac{};
};

class TicketKeys {
 public:
  using Clock = std::chrono::steady_clock;

  // How long a key makes tickets, and how long a session may be resumed.
  static constexpr std::chrono::hours kLife{2};

  explicit TicketKeys(std::function<Clock::time_point()> now = Clock::now);
  ~TicketKeys();
  TicketKeys(const TicketKeys&) = delete;
  TicketKeys& operator=(const TicketKeys&) = delete;

  // The key for a new ticket.
  TicketKey Current();
  struct Found {
    TicketKey key;
    bool current = true;  // else the client is given a new ticket
  };
  // Nothing for a name that is none of ours any more: then the handshake is a whole one.
  std::optional<Found> Find(const unsigned char* name);

 private:
  struct Made {
    TicketKey key;
    Clock::time_point at;
  };
  static TicketKey Make();
  void Rotate();  // with mutex_

  const std::function<Clock::time_point()> now_;
  std::mutex mutex_;  // guards the rest
  std::optional<Made> current_, previous_;
};

}  // namespace tunehub::tls
