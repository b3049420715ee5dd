// Code that threads share. These tests also run under ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "kernels/cpu/workbench.h"
#include "kernels/thread_pool.h"
#include "tests/support/result.h"

namespace tunehub::kernels {
namespace {

TEST(KernelThreadsRace, every_thread_works_once_per_section) {
  ThreadPool pool(4);
  std::vector<int> worked(4, 0);
  for (int section = 0; section < 200; ++section) {
    pool.Run([&](int thread) { ++worked[static_cast<std::size_t>(thread)]; });
  }
  EXPECT_EQ(worked, std::vector<int>(4, 200));
}

TEST(KernelThreadsRace, sections_work_after_the_threads_have_gone_to_sleep) {
  ThreadPool pool(3);
  std::vector<int> worked(3, 0);
  for (int section = 0; section < 3; ++section) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    pool.Run([&](int thread) { ++worked[static_cast<std::size_t>(thread)]; });
  }
  EXPECT_EQ(worked, std::vector<int>(3, 3));
}

TEST(KernelThreadsRace, behind_the_barrier_all_see_what_all_wrote_before_it) {
  constexpr int kThreads = 4;
  ThreadPool pool(kThreads);
  for (int round = 1; round <= 50; ++round) {
    std::vector<int> written(kThreads, 0), sums(kThreads, 0);
    Barrier barrier(kThreads);
    pool.Run([&](int thread) {
      const auto index = static_cast<std::size_t>(thread);
      written[index] = round;
      barrier.Wait();
      sums[index] = std::accumulate(written.begin(), written.end(), 0);
      barrier.Wait();
      written[index] = 0;
    });
    EXPECT_EQ(sums, std::vector<int>(kThreads, kThreads * round));
  }
}

TEST(KernelThreadsRace, a_pool_of_one_works_on_the_caller) {
  ThreadPool pool(1);
  const auto caller = std::this_thread::get_id();
  pool.Run([&](int) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

// If the call ended first, threads would continue with work that the caller has destroyed.
TEST(KernelThreadsRace, where_one_thread_throws_the_others_end_first_and_the_caller_hears_of_it) {
  for (const int thrower : {0, 1}) {
    ThreadPool pool(3);
    std::atomic<int> ended = 0;
    const auto run = [&] {
      pool.Run([&](int thread) {
        if (thread == thrower) throw std::runtime_error("no memory");
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        ++ended;
      });
    };
    EXPECT_THROW(run(), std::runtime_error) << thrower;
    EXPECT_EQ(ended, 2) << thrower;
    pool.Run([&](int) { ++ended; });
    EXPECT_EQ(ended, 5) << "the pool still works";
  }
}

TEST(KernelThreadsRace, pools_end_while_their_threads_sleep_or_spin) {
  for (int i = 0; i < 20; ++i) {
    ThreadPool pool(3);
    if (i % 2 == 0) pool.Run([](int) {});
  }
}

// Four threads run packing, both divisions of work, partial sums and split-K.
TEST(KernelThreadsRace, kernels_on_four_threads_compute_what_the_reference_says) {
  Problem problem;
  problem.family = "a8w8";
  problem.m = 25;
  problem.n = 300;
  problem.k = 1056;
  problem.a = problem.w = Format::kInt8;
  problem.scaling = Scaling::kRowColumn;
  WorkbenchOptions options;
  options.machine.cores = 4;
  options.rotating_bytes = 1;
  auto bench = Must(Workbench::Make(problem, options));
  for (const auto& candidate : Candidates(problem, bench.machine())) {
    const auto check = Must(bench.Verify(candidate));
    EXPECT_TRUE(check.ok(0)) << candidate.kernel_name << " splitK " << candidate.split_k;
  }
}

}  // namespace
}  // namespace tunehub::kernels
