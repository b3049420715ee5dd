// What one connection holds of a share, given back when it ends.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "server/http/shares.h"

namespace tunehub::http {

class ShareCharge {
 public:
  explicit ShareCharge(Shares& shares, std::string client = {})
      : shares_(&shares), client_(std::move(client)) {}
  ShareCharge(const ShareCharge&) = delete;
  ShareCharge& operator=(const ShareCharge&) = delete;
  ShareCharge(ShareCharge&& other) noexcept
      : shares_(other.shares_),
        client_(std::move(other.client_)),
        amount_(std::exchange(other.amount_, 0)) {}
  ShareCharge& operator=(ShareCharge&& other) noexcept {
    std::swap(shares_, other.shares_);
    std::swap(client_, other.client_);
    std::swap(amount_, other.amount_);
    return *this;
  }
  ~ShareCharge() { Release(); }

  // For whom the next is taken.
  void Begin(const std::string& client) {
    Release();
    client_ = client;
  }
  bool Add(std::size_t amount) {
    if (!shares_->Take(client_, amount)) return false;
    amount_ += amount;
    return true;
  }
  void Force(std::size_t amount) {
    shares_->Force(client_, amount);
    amount_ += amount;
  }
  void Release() { shares_->Return(client_, std::exchange(amount_, 0)); }

 private:
  Shares* shares_;
  std::string client_;
  std::size_t amount_ = 0;
};

}  // namespace tunehub::http
