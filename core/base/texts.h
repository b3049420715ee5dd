// Many short texts that live as long as one another: one block of memory for a lot of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace tunehub::core {

class Texts {
 public:
  // A copy that lives as long as this.
  std::string_view Add(std::string_view text) {
    if (text.empty()) return {};
    if (left_ < text.size()) Grow(text.size());
    char* const place = blocks_.back().get() + (block_ - left_);
    std::copy(text.begin(), text.end(), place);
    left_ -= text.size();
    return {place, text.size()};
  }

  // The same for equal texts.
  std::string_view Once(std::string_view text) {
    const auto known = once_.find(text);
    if (known != once_.end()) return *known;
    return *once_.insert(Add(text)).first;
  }

  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kBlockBytes = 64 * 1024;

  void Grow(std::size_t least) {
    block_ = left_ = std::max(least, kBlockBytes);
    blocks_.push_back(std::make_unique<char[]>(block_));
    bytes_ += block_;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_ = 0, left_ = 0;  // of the last one
  std::size_t bytes_ = 0;
  std::unordered_set<std::string_view> once_;
};

}  // namespace tunehub::core
