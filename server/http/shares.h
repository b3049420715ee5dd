// What many clients share and none may have alone: connections, the memory of bodies. A client may
// hold a percentage of what the others leave, so that there is always some left for one more.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tunehub::http {

class Shares {
 public:
  // A client may have one connection wherever there is a place, and `single`, the largest body that
  // is taken at all, where others hold no more than half: it would be refused for ever.
  Shares(std::size_t limit, std::size_t percent, std::size_t single = 1)
      : limit_(limit), percent_(percent), single_(single) {}

  // The client "" stands for many, as a proxy does: all may be its own.
  bool Take(const std::string& client, std::size_t amount);
  // Beyond every limit, too.
  void Force(const std::string& client, std::size_t amount);
  void Return(const std::string& client, std::size_t amount);
  // Whether Take would succeed now; a promise to nobody.
  bool Fits(const std::string& client, std::size_t amount) const;

  std::size_t total() const;
  std::size_t HeldBy(const std::string& client) const;
  // Whoever holds most, "" left out; "" where there is nobody.
  std::string Largest() const;

 private:
  bool FitsLocked(const std::string& client, std::size_t amount) const;
  std::size_t HeldLocked(const std::string& client) const;

  const std::size_t limit_, percent_, single_;
  mutable std::mutex mutex_;  // guards what follows
  std::size_t total_ = 0;
  std::unordered_map<std::string, std::size_t> held_;
};

}  // namespace tunehub::http
