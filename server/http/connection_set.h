// The connections of one reactor, for what happens to all of them: deadlines and the end.
// Only its reactor's thread touches it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tunehub::http {

class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~Connection() = default;
  virtual void Sweep(Clock::time_point now) = 0;  // acts on a deadline that passed
  virtual void CloseIfIdle() = 0;
  virtual void Close() = 0;
  virtual const std::string& client() const = 0;
  // Since when it waits for a request, or the rest of its head; nothing where it does not.
  virtual std::optional<Clock::time_point> WaitsSince() const = 0;

 private:
  friend class ConnectionSet;
  std::size_t place_ = 0;
};

class ConnectionSet {
 public:
  void Add(std::shared_ptr<Connection> connection) {
    connection->place_ = connections_.size();
    connections_.push_back(std::move(connection));
  }
  void Remove(const Connection& connection) {
    const std::size_t place = connection.place_;
    std::swap(connections_[place], connections_.back());
    connections_[place]->place_ = place;
    connections_.pop_back();
  }
  // From the back, because `act` may remove the connection it is given.
  template <typename Act>
  void ForEach(Act act) {
    for (std::size_t i = connections_.size(); i > 0; --i) {
      const std::shared_ptr<Connection> connection = connections_[i - 1];
      act(*connection);
    }
  }

 private:
  std::vector<std::shared_ptr<Connection>> connections_;
};

}  // namespace tunehub::http
