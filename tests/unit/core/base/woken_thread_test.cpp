#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "core/base/threads.h"

namespace tunehub::core {
namespace {

using namespace std::chrono_literals;

TEST(WokenThread, works_for_every_waking_that_it_was_not_at_work_for) {
  WokenThread thread;
  std::atomic<int> worked{0};
  std::promise<void> first, go_on;
  thread.Wake();
  thread.Start([&] {
    while (thread.Await()) {
      if (++worked > 1) continue;
      first.set_value();
      go_on.get_future().wait();
    }
  });
  first.get_future().wait();
  thread.Wake();  // two wake-ups during work cause one more round
  thread.Wake();
  go_on.set_value();
  while (worked < 2) std::this_thread::sleep_for(1ms);
  thread.Stop();
  EXPECT_EQ(worked, 2);
}

TEST(WokenThread, works_without_being_woken_where_it_waits_for_so_long) {
  WokenThread thread;
  std::promise<void> third;
  thread.Start([&] {
    for (int i = 1; thread.Await(1ms); ++i) {
      if (i == 3) third.set_value();
    }
  });
  third.get_future().wait();
}

TEST(WokenThread, a_waking_does_not_end_a_pause_and_a_stop_does) {
  WokenThread thread;
  std::promise<bool> paused;
  thread.Start([&] {
    EXPECT_TRUE(thread.Pause(1ms));
    thread.Wake();
    EXPECT_TRUE(thread.Await());
    thread.Wake();
    paused.set_value(thread.Pause(std::chrono::hours(1)));
  });
  auto ended = paused.get_future();
  EXPECT_EQ(ended.wait_for(50ms), std::future_status::timeout);
  thread.Stop();
  EXPECT_FALSE(ended.get());
  thread.Stop();
}

TEST(WokenThread, is_stopped_before_it_was_started) {
  WokenThread thread;
  thread.Stop();
}

}  // namespace
}  // namespace tunehub::core
