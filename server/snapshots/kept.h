// Caches expensive values. If several threads request a value at once, one thread makes it. The
// class Kept is bounded in bytes and drops the least recently used values first.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "server/db/failures.h"

namespace tunehub::server {

// Lets only one thread at a time query the database. That thread does not hold the mutex meanwhile.
// Other threads wait for a limited time, or take the last known value. The owner's mutex guards the
// Turn. Precondition of all calls: `lock` owns this mutex.
class Turn {
 public:
  using Clock = std::chrono::steady_clock;

  // Returns true if the caller has the turn; it must then call Outside(). Returns false if
  // `is_known()` is true, or if another thread still has the turn at `until`.
  template <typename IsKnown>
  bool Take(std::unique_lock<std::mutex>& lock, Clock::time_point until, IsKnown is_known) {
    ended_.wait_until(lock, until, [&] { return !taken_ || is_known(); });
    if (taken_ || is_known()) return false;
    taken_ = true;
    return true;
  }

  // Runs `ask()` without the lock. Then takes the lock and ends the turn, even if `ask` throws.
  template <typename Ask>
  auto Outside(std::unique_lock<std::mutex>& lock, Ask ask) {
    const End end(*this, lock);
    lock.unlock();
    return ask();
  }

 private:
  class End {
   public:
    End(Turn& turn, std::unique_lock<std::mutex>& lock) : turn_(turn), lock_(lock) {}
    ~End() {
      lock_.lock();
      turn_.taken_ = false;
      turn_.ended_.notify_all();
    }
    End(const End&) = delete;
    End& operator=(const End&) = delete;

   private:
    Turn& turn_;
    std::unique_lock<std::mutex>& lock_;
  };

  bool taken_ = false;
  std::condition_variable ended_;
};

// Keeps the last answer to each question. An answer expires after a time, or when its state
// changes. One thread makes the new answer. Meanwhile other threads take the last answer, or wait
// for the first answer.
template <typename Question, typename T>
class LastMade {
 public:
  using Value = std::shared_ptr<const T>;
  struct Rule {
    Turn::Clock::duration fresh;
    // How long other threads wait at most, if there is an older answer, and if there is no answer
    // yet.
    Turn::Clock::duration patience, first_patience;
    std::size_t most;        // the most questions; one more clears the cache
    const char* unfinished;  // text of Unavailable if the first answer takes too long
  };

  explicit LastMade(const Rule& rule) : rule_(rule) {}

  // Returns the last answer. Null: there is no answer yet.
  Value Last(const Question& question) const {
    const std::lock_guard lock(mutex_);
    return LastLocked(question);
  }

  // `keep`: true to use even an expired answer, because the database does not respond. `state()`:
  // the state to which a new answer belongs. Throws Unavailable and exceptions of `make()`.
  template <typename StateOf, typename Make>
  Value Get(const Question& question, bool keep, const StateOf& state, const Make& make) {
    std::unique_lock lock(mutex_);
    const auto is_known = [&] {
      const auto known = known_.find(question);
      return known != known_.end() && known->second.state == state() &&
             Turn::Clock::now() - known->second.at < rule_.fresh;
    };
    Value last = LastLocked(question);
    if (last != nullptr && (keep || is_known())) return last;
    const auto patience = last != nullptr ? rule_.patience : rule_.first_patience;
    if (!turn_.Take(lock, Turn::Clock::now() + patience, is_known)) {
      if (Value others = LastLocked(question)) return others;
      throw Unavailable(rule_.unfinished);
    }
    Made made{state(), Turn::Clock::now(), nullptr};
    made.value = turn_.Outside(lock, [&] { return std::make_shared<const T>(make()); });
    if (known_.size() >= rule_.most) known_.clear();
    known_[question] = made;
    return made.value;
  }

 private:
  struct Made {
    std::string state;
    Turn::Clock::time_point at;
    Value value;
  };

  Value LastLocked(const Question& question) const {
    const auto known = known_.find(question);
    return known == known_.end() ? nullptr : known->second.value;
  }

  const Rule rule_;
  mutable std::mutex mutex_;  // never held while an answer is made
  Turn turn_;                 // guarded by mutex_, as are the members below
  std::map<Question, Made> known_;
};

struct KeptCounters {
  std::size_t hits = 0, misses = 0, bytes = 0, entries = 0;
};

// A cache by key. An overload SizeOf(value) in the namespace of T must return the bytes of a value.
template <typename T>
class Kept {
 public:
  using Value = std::shared_ptr<const T>;
  using Made = core::Result<Value>;

  // `errors`: codes of errors that depend only on the key. Get caches such errors in a separate
  // part of the budget, so that requests for missing things evict no values. Get does not cache
  // other errors or values larger than the budget.
  explicit Kept(std::size_t budget_bytes, std::vector<std::string_view> errors = {})
      : errors_(std::move(errors)) {
    error_shelf_.budget = errors_.empty() ? 0 : budget_bytes / kErrorsPart;
    value_shelf_.budget = budget_bytes - error_shelf_.budget;
  }

  // Never makes a value, so it never blocks for long. Absent or null: not cached.
  std::optional<Made> FindMade(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const Entry* const entry = FindLocked(key);
    return entry == nullptr ? std::nullopt : std::optional(entry->made);
  }
  Value Find(std::string_view key) {
    const auto made = FindMade(key);
    return made && made->ok() ? **made : nullptr;
  }

  // Returns the most recently used value whose key begins with `front`; null: none.
  Value FindLast(std::string_view front) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(
        value_shelf_.entries, [&](const Entry& it) { return it.key.starts_with(front); });
    return found == value_shelf_.entries.end() ? nullptr : *found->made;
  }

  // Returns the cached value, or makes it with `make`. Other threads that request the key wait, and
  // get the value even if it is too large to cache.
  Made Get(const std::string& key, const std::function<core::Result<T>()>& make) {
    std::shared_ptr<Slot> slot;
    {
      std::unique_lock lock(mutex_);
      for (;;) {
        if (const Entry* const entry = FindLocked(key)) return entry->made;
        auto& current = making_[key];
        if (current == nullptr) {
          current = slot = std::make_shared<Slot>();
          break;
        }
        const auto others = current;
        made_.wait(lock, [&] { return others->is_over; });
        if (others->made) return *others->made;
      }
      ++counters_.misses;
    }
    const Making making(*this, key, *slot);
    core::Result<T> value = make();
    if (!value.ok()) {
      const bool stays = std::ranges::find(errors_, value.error().code) != errors_.end();
      if (stays) Keep(error_shelf_, key, value.error(), value.error().detail.size());
      return value.error();
    }
    auto shared = std::make_shared<const T>(*std::move(value));
    slot->made = shared;  // visible to waiting threads once `making` ends
    Keep(value_shelf_, key, shared, SizeOf(*shared));
    return shared;
  }

  // Drops the key's value from the cache. Threads that use the value keep it alive.
  void Forget(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) return;
    Shelf& shelf = *found->second->shelf;
    const auto entry = found->second;
    index_.erase(found);
    Drop(shelf, entry);
  }

  // Drops values of older states, whose keys begin with `front` but not with `newest`.
  void ForgetOlder(std::string_view front, std::string_view newest) {
    const std::lock_guard lock(mutex_);
    std::erase_if(value_shelf_.entries, [&](const Entry& it) {
      if (!it.key.starts_with(front) || it.key.starts_with(newest)) return false;
      value_shelf_.bytes -= it.bytes;
      index_.erase(it.key);
      return true;
    });
  }

  KeptCounters counters() const {
    const std::lock_guard lock(mutex_);
    KeptCounters counters = counters_;
    counters.bytes = value_shelf_.bytes + error_shelf_.bytes;
    counters.entries = index_.size();
    return counters;
  }

  // Bytes of an entry beside its value: nodes, fields, and the key twice (in entry and index).
  static constexpr std::size_t EntryBytes(std::string_view key) { return 512 + 2 * key.size(); }
  static constexpr std::size_t kErrorsPart = 8;  // one eighth of the budget

 private:
  struct Shelf;
  struct Entry {
    std::string key;
    Made made;
    std::size_t bytes;
    Shelf* shelf;
  };
  struct Shelf {
    std::size_t budget = 0, bytes = 0;
    std::list<Entry> entries;  // most recent first
  };
  // The value that one thread makes and other threads wait for.
  struct Slot {
    bool is_over = false;
    std::optional<Made> made;  // absent: making it failed
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  // Marks the value as being made. The destructor wakes waiting threads, also after an exception.
  class Making {
   public:
    Making(Kept& kept, const std::string& key, Slot& slot) : kept_(kept), key_(key), slot_(slot) {}
    ~Making() {
      {
        const std::lock_guard lock(kept_.mutex_);
        slot_.is_over = true;
        kept_.making_.erase(key_);
      }
      kept_.made_.notify_all();
    }
    Making(const Making&) = delete;
    Making& operator=(const Making&) = delete;

   private:
    Kept& kept_;
    const std::string& key_;
    Slot& slot_;
  };

  const Entry* FindLocked(std::string_view key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    auto& entries = found->second->shelf->entries;
    entries.splice(entries.begin(), entries, found->second);
    ++counters_.hits;
    return &*found->second;
  }

  static void Drop(Shelf& shelf, typename std::list<Entry>::iterator entry) {
    shelf.bytes -= entry->bytes;
    shelf.entries.erase(entry);
  }

  void Keep(Shelf& shelf, const std::string& key, Made made, std::size_t value_bytes) {
    const std::size_t bytes = value_bytes + EntryBytes(key);
    const std::lock_guard lock(mutex_);
    if (bytes > shelf.budget) return;
    shelf.bytes += bytes;
    shelf.entries.push_front({key, std::move(made), bytes, &shelf});
    index_[key] = shelf.entries.begin();
    while (shelf.bytes > shelf.budget) {
      index_.erase(shelf.entries.back().key);
      Drop(shelf, std::prev(shelf.entries.end()));
    }
  }

  const std::vector<std::string_view> errors_;
  mutable std::mutex mutex_;
  std::condition_variable made_;
  Shelf value_shelf_, error_shelf_;
  std::unordered_map<std::string, typename std::list<Entry>::iterator, Hash, std::equal_to<>>
      index_;
  std::map<std::string, std::shared_ptr<Slot>> making_;
  KeptCounters counters_;
};

}  // namespace tunehub::server
