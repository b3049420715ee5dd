// What is made once and kept for those who ask again: least recently used out first, within a
// budget of bytes. What several threads ask for at once is made once.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tunehub::service {

struct KeptCounters {
  std::size_t hits = 0, misses = 0, bytes = 0, entries = 0;
};

// `SizeOf(value)` says how many bytes a T takes; it is found beside T.
template <typename T>
class Kept {
 public:
  using Value = std::shared_ptr<const T>;
  using Made = core::Result<Value>;

  // `errors`: the codes that follow from the key alone, so that they are kept, too. Any other Error
  // is passed on and not kept; nor is what is larger than the budget.
  explicit Kept(std::size_t budget_bytes, std::vector<std::string_view> errors = {})
      : budget_bytes_(budget_bytes), errors_(std::move(errors)) {}

  // These two never block for long: nothing is made here. Nothing, null: it is not there.
  std::optional<Made> FindMade(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const Entry* const entry = FindLocked(key);
    return entry == nullptr ? std::nullopt : std::optional(entry->made);
  }
  Value Find(std::string_view key) {
    const auto made = FindMade(key);
    return made && made->ok() ? **made : nullptr;
  }

  // What is there, or what `make` makes; others who ask for the key meanwhile wait for it.
  Made Get(const std::string& key, const std::function<core::Result<T>()>& make) {
    {
      std::unique_lock lock(mutex_);
      for (;;) {
        if (const Entry* const entry = FindLocked(key)) return entry->made;
        if (making_.insert(key).second) break;
        made_.wait(lock, [&] { return !making_.contains(key); });
      }
      ++counters_.misses;
    }
    const Making making(*this, key);
    core::Result<T> value = make();
    if (!value.ok()) {
      const bool stays = std::ranges::find(errors_, value.error().code) != errors_.end();
      if (stays) Keep(key, value.error(), value.error().detail.size());
      return value.error();
    }
    auto shared = std::make_shared<const T>(*std::move(value));
    Keep(key, shared, SizeOf(*shared));
    return shared;
  }

  // What is kept under the key goes; who has it keeps it.
  void Forget(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) return;
    counters_.bytes -= found->second->bytes;
    entries_.erase(found->second);
    index_.erase(found);
  }

  KeptCounters counters() const {
    const std::lock_guard lock(mutex_);
    KeptCounters counters = counters_;
    counters.entries = entries_.size();
    return counters;
  }

  static constexpr std::size_t kEntryBytes =
      512;  // of an entry beside its value: key, node, fields

 private:
  struct Entry {
    std::string key;
    Made made;
    std::size_t bytes;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  // While it lives, the value is being made. Its end wakes those who wait, also where making threw.
  class Making {
   public:
    Making(Kept& kept, const std::string& key) : kept_(kept), key_(key) {}
    ~Making() {
      {
        const std::lock_guard lock(kept_.mutex_);
        kept_.making_.erase(key_);
      }
      kept_.made_.notify_all();
    }
    Making(const Making&) = delete;
    Making& operator=(const Making&) = delete;

   private:
    Kept& kept_;
    const std::string& key_;
  };

  const Entry* FindLocked(std::string_view key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    ++counters_.hits;
    return &*found->second;
  }

  void Keep(const std::string& key, Made made, std::size_t value_bytes) {
    const std::size_t bytes = value_bytes + kEntryBytes;
    const std::lock_guard lock(mutex_);
    if (bytes > budget_bytes_) return;
    counters_.bytes += bytes;
    entries_.push_front({key, std::move(made), bytes});
    index_[key] = entries_.begin();
    while (counters_.bytes > budget_bytes_) {
      const Entry& last = entries_.back();
      counters_.bytes -= last.bytes;
      index_.erase(last.key);
      entries_.pop_back();
    }
  }

  const std::size_t budget_bytes_;
  const std::vector<std::string_view> errors_;
  mutable std::mutex mutex_;
  std::condition_variable made_;
  std::list<Entry> entries_;  // most recent first
  std::unordered_map<std::string, typename std::list<Entry>::iterator, Hash, std::equal_to<>>
      index_;
  std::set<std::string> making_;
  KeptCounters counters_;
};

}  // namespace tunehub::service
