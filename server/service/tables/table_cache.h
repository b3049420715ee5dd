// Made tables by (family, query, revision, encoding): least recently used out first, within a
// budget of bytes. What several threads ask for at once is made once.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/result.h"
#include "server/service/tables/table_bytes.h"

namespace tunehub::service {

class TableCache {
 public:
  explicit TableCache(std::size_t budget_bytes) : budget_bytes_(budget_bytes) {}

  using Made = core::Result<std::shared_ptr<const TableBytes>>;

  // Never blocks for long: nothing is made here. Null: not there.
  std::shared_ptr<const TableBytes> Find(std::string_view key);

  // What is there, or what `make` makes; others who ask for the key meanwhile wait for it. An Error
  // is passed on and not kept. A table larger than the budget is passed on and not kept either.
  Made Get(const std::string& key, const std::function<core::Result<TableBytes>()>& make);

  struct Counters {
    std::size_t hits = 0, misses = 0, bytes = 0, entries = 0;
  };
  Counters counters() const;

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const TableBytes> table;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::shared_ptr<const TableBytes> FindLocked(std::string_view key);
  void Keep(const std::string& key, std::shared_ptr<const TableBytes> table);

  const std::size_t budget_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable made_;
  std::list<Entry> entries_;  // most recent first
  std::unordered_map<std::string, std::list<Entry>::iterator, Hash, std::equal_to<>> index_;
  std::set<std::string> making_;
  Counters counters_;
};

}  // namespace tunehub::service
