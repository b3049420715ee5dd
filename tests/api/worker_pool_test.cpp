// The clients of a pool take turns, and no client gets all of its threads.
#include "server/http/worker_pool.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tunehub::http {
namespace {

class PoolOfWorkersTest : public testing::Test {
 protected:
  ~PoolOfWorkersTest() override { Open(); }

  // The job waits at the gate, then records its client. `aside`: it frees its thread while it
  // waits.
  bool Post(WorkerPool& pool, const std::string& client, bool aside = false) {
    std::function<void()> job = [this, client, aside] {
      {
        std::optional<core::Aside> away;
        if (aside) away.emplace();
        std::unique_lock lock(mutex_);
        running_.push_back(client);
        changed_.notify_all();
        changed_.wait(lock, [this] { return open_; });
      }
      const std::lock_guard lock(mutex_);
      done_.push_back(client);
      changed_.notify_all();
    };
    return pool.TryPost(client, job);
  }
  bool PostAside(WorkerPool& pool, const std::string& client) { return Post(pool, client, true); }
  std::vector<std::string> AwaitRunning(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return running_.size() >= count; });
    return running_;
  }
  std::vector<std::string> AwaitDone(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_.size() >= count; });
    return done_;
  }
  void Open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> running_, done_;
  bool open_ = false;
};

TEST_F(PoolOfWorkersTest, clients_take_turns) {
  WorkerPool pool({.threads = 1, .queue = 100});
  ASSERT_TRUE(Post(pool, "first"));
  AwaitRunning(1);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(Post(pool, "greedy"));
  ASSERT_TRUE(Post(pool, "modest"));
  ASSERT_TRUE(Post(pool, "other"));
  Open();
  const auto done = AwaitDone(53);
  EXPECT_EQ((std::vector<std::string>(done.begin(), done.begin() + 5)),
            (std::vector<std::string>{"first", "greedy", "modest", "other", "greedy"}));
}

TEST_F(PoolOfWorkersTest, a_client_whose_jobs_hang_leaves_a_thread) {
  WorkerPool pool({.threads = 3, .queue = 100});
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(Post(pool, "greedy"));
  AwaitRunning(2);
  ASSERT_TRUE(Post(pool, "modest"));
  EXPECT_EQ(AwaitRunning(3), (std::vector<std::string>{"greedy", "greedy", "modest"}));
  Open();
  AwaitDone(11);
}

TEST_F(PoolOfWorkersTest, a_client_has_its_share_of_the_places_that_others_leave) {
  WorkerPool pool({.threads = 1, .queue = 8, .share = 50});
  ASSERT_TRUE(Post(pool, "first"));
  AwaitRunning(1);
  const auto takes = [&](const std::string& client) {
    int count = 0;
    while (Post(pool, client)) ++count;
    return count;
  };
  EXPECT_EQ(takes("a"), 4);
  EXPECT_EQ(takes("b"), 2);
  EXPECT_EQ(takes("c"), 1);
  EXPECT_EQ(takes("d"), 1);  // a client's first job needs only a free place in the queue
  EXPECT_EQ(takes("e"), 0);
  Open();
  AwaitDone(9);
}

using JobsAsideTest = PoolOfWorkersTest;

TEST_F(JobsAsideTest, leave_their_place_and_thread_to_others) {
  WorkerPool pool({.threads = 1, .queue = 100, .aside = 10});
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(PostAside(pool, std::to_string(i)));
  AwaitRunning(10);
  EXPECT_EQ(pool.figures().busy, 0U);
  ASSERT_TRUE(Post(pool, "works"));
  EXPECT_EQ(AwaitRunning(11).back(), "works");
  EXPECT_EQ(pool.figures().busy, 1U);
  Open();
  EXPECT_EQ(AwaitDone(11).front(), "works") << "the other jobs wait for its thread";
}

TEST_F(JobsAsideTest, are_no_more_than_their_threads) {
  WorkerPool pool({.threads = 2, .queue = 100, .aside = 3});
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(PostAside(pool, std::to_string(i)));
  AwaitRunning(5);
  EXPECT_EQ(pool.figures().waiting, 1U);
  Open();
  AwaitDone(6);
}

TEST_F(JobsAsideTest, of_one_client_leave_room_for_others) {
  WorkerPool pool({.threads = 2, .queue = 100, .share = 50, .aside = 8});
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(PostAside(pool, "greedy"));
  AwaitRunning(5);
  ASSERT_TRUE(PostAside(pool, "modest"));
  const auto running = AwaitRunning(6);
  EXPECT_EQ(running.back(), "modest");
  EXPECT_EQ(pool.figures().waiting, 5U);
  Open();
  AwaitDone(11);
}

// Jobs that freed their threads run before jobs that have not begun, and Stop() waits for them.
TEST_F(JobsAsideTest, end_with_the_pool) {
  WorkerPool pool({.threads = 1, .queue = 100, .aside = 4});
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(PostAside(pool, std::to_string(i)));
  AwaitRunning(4);
  pool.EndJobs();
  Open();
  pool.Stop();
  EXPECT_EQ(AwaitDone(4).size(), 4U);
}

}  // namespace
}  // namespace tunehub::http
