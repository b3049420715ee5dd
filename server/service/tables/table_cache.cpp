#include "server/service/tables/table_cache.h"

namespace tunehub::service {
namespace {

constexpr std::size_t kEntryOverhead = 512;  // key, node, table's fields

std::size_t SizeOf(const TableBytes& table) {
  return table.body->size() + kEntryOverhead;
}

// While it lives, a table is being made. Its end wakes those who wait, also where making threw.
class Making {
 public:
  Making(std::mutex& mutex, std::condition_variable& made, std::set<std::string>& making,
         const std::string& key)
      : mutex_(mutex), made_(made), making_(making), key_(key) {}
  ~Making() {
    {
      const std::lock_guard lock(mutex_);
      making_.erase(key_);
    }
    made_.notify_all();
  }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

 private:
  std::mutex& mutex_;
  std::condition_variable& made_;
  std::set<std::string>& making_;
  const std::string& key_;
};

}  // namespace

std::shared_ptr<const TableBytes> TableCache::FindLocked(std::string_view key) {
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  ++counters_.hits;
  return found->second->table;
}

std::shared_ptr<const TableBytes> TableCache::Find(std::string_view key) {
  const std::lock_guard lock(mutex_);
  return FindLocked(key);
}

TableCache::Made TableCache::Get(const std::string& key,
                                 const std::function<core::Result<TableBytes>()>& make) {
  {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (auto found = FindLocked(key)) return found;
      if (making_.insert(key).second) break;
      made_.wait(lock, [&] { return !making_.contains(key); });
    }
    ++counters_.misses;
  }
  const Making making(mutex_, made_, making_, key);
  auto table = make();
  if (!table.ok()) return table.error();
  auto shared = std::make_shared<const TableBytes>(*std::move(table));
  Keep(key, shared);
  return shared;
}

void TableCache::Keep(const std::string& key, std::shared_ptr<const TableBytes> table) {
  const std::lock_guard lock(mutex_);
  if (SizeOf(*table) > budget_bytes_) return;
  counters_.bytes += SizeOf(*table);
  entries_.push_front({key, std::move(table)});
  index_[key] = entries_.begin();
  while (counters_.bytes > budget_bytes_) {
    const Entry& last = entries_.back();
    counters_.bytes -= SizeOf(*last.table);
    index_.erase(last.key);
    entries_.pop_back();
  }
}

TableCache::Counters TableCache::counters() const {
  const std::lock_guard lock(mutex_);
  Counters counters = counters_;
  counters.entries = entries_.size();
  return counters;
}

}  // namespace tunehub::service
