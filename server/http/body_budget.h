// The memory that all request bodies together may take.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace tunehub::http {

class BodyBudget {
 public:
  explicit BodyBudget(std::size_t limit) : limit_(limit) {}

  // Whether `bytes` more would fit now; a promise to nobody.
  bool Fits(std::size_t bytes) const {
    const std::size_t used = used_.load(std::memory_order_relaxed);
    return used <= limit_ && bytes <= limit_ - used;
  }
  bool Take(std::size_t bytes) {
    if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit_) return true;
    Return(bytes);
    return false;
  }
  void Return(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

// One body's share of the budget, counted as its bytes arrive (a client that only announces a
// length takes nothing) and given back when it ends.
class BodyCharge {
 public:
  explicit BodyCharge(BodyBudget& budget) : budget_(&budget) {}
  BodyCharge(const BodyCharge&) = delete;
  BodyCharge& operator=(const BodyCharge&) = delete;
  BodyCharge(BodyCharge&& other) noexcept
      : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}
  BodyCharge& operator=(BodyCharge&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~BodyCharge() { Release(); }

  bool Add(std::size_t bytes) {
    if (!budget_->Take(bytes)) return false;
    bytes_ += bytes;
    return true;
  }
  void Release() { budget_->Return(std::exchange(bytes_, 0)); }

 private:
  BodyBudget* budget_;
  std::size_t bytes_ = 0;
};

}  // namespace tunehub::http
