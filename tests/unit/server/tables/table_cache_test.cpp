#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <stdexcept>
#include <thread>

#include "server/tables/tuned_tables.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kEntry = 1'000;  // the size of Table()'s body
// The size that the cache counts for a query of one character and its table.
constexpr std::size_t kEntryBytes = kEntry + TableCache::EntryBytes("k");

TableBytes Table(const std::string& etag, std::size_t size = kEntry) {
  TableBytes table;
  table.body = std::make_shared<const std::string>(size, 'x');
  table.etag = etag;
  return table;
}

std::string Get(TableCache& cache, const std::string& key) {
  return (*cache.Get(key, [&] { return core::Result<TableBytes>(Table(key)); }))->etag;
}

TEST(Cache, makes_what_is_not_there_once) {
  TableCache cache(1 << 20);
  int made = 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(cache
                    .Get("a",
                         [&] {
                           ++made;
                           return core::Result<TableBytes>(Table("a"));
                         })
                    .ok());
  }
  EXPECT_EQ(made, 1);
  EXPECT_EQ(cache.Find("a")->etag, "a");
  EXPECT_EQ(cache.Find("b"), nullptr);
  EXPECT_EQ(cache.counters().misses, 1u);
  EXPECT_EQ(cache.counters().hits, 3u);
}

TEST(Cache, the_least_recently_used_goes_first) {
  TableCache cache(3 * kEntryBytes);
  for (const char* key : {"a", "b", "c"}) Get(cache, key);
  cache.Find("a");
  Get(cache, "d");
  EXPECT_EQ(cache.Find("b"), nullptr);
  for (const char* key : {"a", "c", "d"}) EXPECT_NE(cache.Find(key), nullptr) << key;
  EXPECT_EQ(cache.counters().entries, 3u);
  EXPECT_EQ(cache.counters().bytes, 3 * kEntryBytes);
}

TEST(Cache, a_table_larger_than_the_budget_is_passed_on_and_not_kept) {
  TableCache cache(kEntryBytes);
  Get(cache, "a");
  EXPECT_EQ((*cache.Get("big", [] { return core::Result<TableBytes>(Table("big", 5'000)); }))->etag,
            "big");
  EXPECT_EQ(cache.Find("big"), nullptr);
  EXPECT_NE(cache.Find("a"), nullptr) << "a large table evicts no other table";
}

TEST(Cache, an_error_and_an_exception_are_passed_on_and_not_kept) {
  TableCache cache(1 << 20);
  const auto error = cache.Get("a", []() -> core::Result<TableBytes> {
    return core::Error{"no_rows", ""};
  });
  EXPECT_EQ(error.error().code, "no_rows");
  EXPECT_THROW(static_cast<void>(cache.Get(
                   "a", []() -> core::Result<TableBytes> { throw std::runtime_error("gone"); })),
               std::runtime_error);
  EXPECT_EQ(Get(cache, "a"), "a");
}

TEST(Cache, an_error_that_follows_from_the_key_is_kept_as_the_tables_are) {
  TableCache cache(1 << 20, {"no_rows"});
  int made = 0;
  const auto fail = [&](const char* code) {
    return [&made, code]() -> core::Result<TableBytes> {
      ++made;
      return core::Error{code, "why"};
    };
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cache.Get("a", fail("no_rows")).error().detail, "why");
  EXPECT_EQ(made, 1);
  EXPECT_EQ(cache.Find("a"), nullptr);
  const auto found = cache.FindMade("a");
  ASSERT_TRUE(found && !found->ok());
  EXPECT_EQ(found->error().code, "no_rows");
  for (int i = 0; i < 2; ++i) static_cast<void>(cache.Get("b", fail("unknown_revision")));
  EXPECT_EQ(made, 3) << "the revision may exist later";
  EXPECT_FALSE(cache.FindMade("b"));
}

// The cache also keeps each table's query, which may have 16 KiB.
TEST(Cache, what_is_kept_counts_with_its_key) {
  TableCache cache(1 << 20, {"no_rows"});
  for (int i = 0; i < 100; ++i) {
    const std::string key = std::string(16 << 10, 'k') + std::to_string(i);
    static_cast<void>(cache.Get(key, []() -> core::Result<TableBytes> {
      return core::Error{"no_rows", "why"};
    }));
    Get(cache, key + "+");
  }
  EXPECT_LE(cache.counters().entries * (32 << 10), std::size_t{1} << 20);
  EXPECT_GE(cache.counters().bytes, cache.counters().entries * (32 << 10));
}

TEST(Cache, errors_drive_no_tables_out) {
  TableCache cache(64 * kEntryBytes, {"no_rows"});
  Get(cache, "a");
  for (int i = 0; i < 1'000; ++i) {
    static_cast<void>(cache.Get("missing " + std::to_string(i), []() -> core::Result<TableBytes> {
      return core::Error{"no_rows", "why"};
    }));
  }
  EXPECT_NE(cache.Find("a"), nullptr);
  EXPECT_TRUE(cache.FindMade("missing 999"));
  EXPECT_FALSE(cache.FindMade("missing 0"));
  EXPECT_LE(cache.counters().bytes, 64 * kEntryBytes);
}

TEST(Cache, what_is_forgotten_is_made_again) {
  TableCache cache(1 << 20);
  Get(cache, "a");
  Get(cache, "b");
  cache.Forget("a");
  cache.Forget("never there");
  EXPECT_EQ(cache.Find("a"), nullptr);
  EXPECT_NE(cache.Find("b"), nullptr);
  EXPECT_EQ(cache.counters().bytes, kEntryBytes);
}

TEST(CacheRace, what_many_ask_for_at_once_is_made_once) {
  TableCache cache(1 << 20);
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const auto table = cache.Get("a", [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        ++made;
        return core::Result<TableBytes>(Table("a"));
      });
      EXPECT_EQ((*table)->etag, "a");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
}

TEST(CacheRace, what_is_too_large_to_be_kept_is_made_once_for_those_who_wait) {
  TableCache cache(kEntryBytes);
  std::atomic<int> made = 0, asking = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      ++asking;
      const auto table = cache.Get("a", [&] {
        while (asking < 8) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        ++made;
        return core::Result<TableBytes>(Table("a", 5'000));
      });
      EXPECT_EQ((*table)->etag, "a");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(cache.counters().entries, 0u);
}

TEST(CacheRace, those_who_wait_for_a_maker_that_fails_make_it_themselves) {
  TableCache cache(1 << 20);
  std::atomic<int> calls = 0, served = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      try {
        served += cache
                      .Get("a",
                           [&]() -> core::Result<TableBytes> {
                             std::this_thread::sleep_for(std::chrono::milliseconds(10));
                             if (++calls <= 2) throw std::runtime_error("gone");
                             return Table("a");
                           })
                      .ok();
      } catch (const std::runtime_error&) {
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(served, 4);
  EXPECT_EQ(calls, 3);
}

TEST(CacheRace, hammered_it_stays_within_its_budget_and_answers_right) {
  constexpr std::size_t kBudget = 5 * kEntryBytes;
  TableCache cache(kBudget);
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 6; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 400; ++i) {
        const std::string key(1, static_cast<char>('a' + random() % 12));
        const auto found = cache.Find(key);
        EXPECT_TRUE(found == nullptr || found->etag == key);
        EXPECT_EQ(Get(cache, key), key);
        EXPECT_LE(cache.counters().bytes, kBudget);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cache.counters().bytes, cache.counters().entries * kEntryBytes);
}

}  // namespace
}  // namespace tunehub::server
