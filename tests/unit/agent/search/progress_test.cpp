// The output during tuning, on a clock that the test controls.
#include <gmock/gmock.h>

#include <cstdlib>
#include <sstream>

#include "agent/search/tuning_bench.h"

namespace tunehub::test {
namespace {

using agent::Eta;
using agent::Measurement;
using agent::Progress;
using std::chrono::seconds;
using testing::HasSubstr;

class TuningProgress : public testing::Test {
 protected:
  ~TuningProgress() override {
    std::fclose(err_);
    std::free(text_);
  }

  Progress Make(bool terminal) {
    return Progress(&out_, {.terminal = terminal, .err = err_, .now = [this] { return now_; }});
  }
  // Returns the output since the last call.
  std::string Said() {
    std::fflush(err_);
    std::string said(text_ + seen_, size_ - seen_);
    seen_ = size_;
    return said;
  }

  char* text_ = nullptr;
  std::size_t size_ = 0, seen_ = 0;
  std::FILE* err_ = ::open_memstream(&text_, &size_);
  std::ostringstream out_;
  Eta::Clock::time_point now_{};
};

TEST_F(TuningProgress, a_terminal_has_one_bar_in_place_with_the_time_left) {
  Progress progress = Make(true);
  progress.Begin(0, 4, "M=1", 10);
  EXPECT_EQ(Said(), "\r\033[K[........................] 0/4; M=1: 0 of 10 candidates");
  now_ += seconds(5);
  for (int i = 0; i < 5; ++i) progress.Screened(Measurement());
  EXPECT_THAT(Said(), HasSubstr("0/4, 35 s left; M=1: 5 of 10 candidates"));
  now_ += seconds(5);
  progress.Begin(1, 4, "M=2", 10);
  const std::string said = Said();
  EXPECT_EQ(said, "\r\033[K[######..................] 1/4, 30 s left; M=2: 0 of 10 candidates");
  EXPECT_EQ(said.find('\n'), std::string::npos);
}

TEST_F(TuningProgress, a_pipe_has_a_line_now_and_then) {
  Progress progress = Make(false);
  progress.Begin(0, 4, "M=1", 10);
  now_ += seconds(30);
  progress.Screened(Measurement());
  EXPECT_EQ(Said(), "");
  now_ += seconds(30);
  progress.Begin(1, 4, "M=2", 10);
  EXPECT_EQ(Said(), "tunehub-agent: 1 of 4 shapes, 3 min left\n");
  now_ += seconds(59);
  progress.Screened(Measurement());
  EXPECT_EQ(Said(), "");
}

TEST_F(TuningProgress, a_time_has_its_interval_and_a_wide_spread_a_warning) {
  Progress progress = Make(false);
  agent::DoneShape done;
  done.shape = {{"M", "16"}};
  done.winner = 0;
  done.measurements.resize(1);
  auto& winner = done.measurements[0];
  winner.candidate = {{"kernelName", "tk_a"}};
  winner.samples.assign(20, 97.1);
  progress.Finished(done);
  EXPECT_THAT(out_.str(), HasSubstr("kernelName=tk_a, 97.10 us (96.13 to 98.07, n = 20), 1 cand"));
  EXPECT_EQ(Said(), "");
  EXPECT_EQ(agent::ToJson(done)["n"], 20);
  winner.samples = {100, 100, 110, 120, 120};
  progress.Finished(done);
  EXPECT_THAT(out_.str(), HasSubstr("110.0 us (104.5 to 115.5, n = 5)"));
  EXPECT_EQ(Said(),
            "tunehub-agent: M=16: the samples differ by 9 %, because the device has other work or "
            "its clock changes\n");
  winner.samples = {100, 101};
  progress.Finished(done);
  EXPECT_THAT(out_.str(), HasSubstr("100.5 us (n = 2)"));
}

TEST_F(TuningProgress, what_an_engine_tuned_is_not_called_untuned) {
  Progress progress = Make(false);
  agent::DoneShape done;
  done.shape = {{"M", "16"}};
  done.tuned_by = "vllm benchmark_moe.py";
  progress.Finished(done);
  EXPECT_EQ(out_.str(), "M=16: tuned by vllm benchmark_moe.py\n");
}

}  // namespace
}  // namespace tunehub::test
