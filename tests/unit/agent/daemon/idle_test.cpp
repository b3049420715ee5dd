// The daemon uses a device only while the device is idle. The test makes its own /proc and /sys.
#include "agent/daemon/idle_pace.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"
#include "tests/unit/agent/search/tuning_support.h"

namespace tunehub::agent {
namespace {

using agent::test::TempFolder;
using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr pid_t kAgent = 100, kWorker = 101;

class CpuIdle : public testing::Test {
 protected:
  // The times of both processors (`busy`, `idle`) and of the worker (`own`), in hundredths of a
  // second.
  void At(int busy, int idle, int own, int free_mib = 8192) {
    const std::string line =
        " " + std::to_string(busy) + " 0 0 " + std::to_string(idle) + " 0 0 0\n";
    root_.Write("proc/stat", "cpu " + line + "cpu0" + line + "cpu1" + line);
    root_.Write("proc/meminfo",
                "MemTotal: 1 kB\nMemAvailable: " + std::to_string(free_mib * 1024) + " kB\n");
    Stat(kAgent, 0);
    Stat(kWorker, own);
  }
  void Stat(pid_t pid, int user) {
    root_.Write("proc/" + std::to_string(pid) + "/stat",
                std::to_string(pid) + " (a (strange) name) S 1 1 1 0 -1 0 0 0 0 0 " +
                    std::to_string(user) + " 0 0 0 20 0\n");
  }

  TempFolder root_;
  std::unique_ptr<Probe> probe_ = CpuProbe(root_.path());
  OwnWork own_{kAgent, kWorker};
};

TEST_F(CpuIdle, our_own_work_is_no_load) {
  At(1000, 1000, 500);
  EXPECT_EQ(probe_->Busy(own_), "");
  At(1200, 1000, 700);
  EXPECT_EQ(probe_->Busy(own_), "");
}

TEST_F(CpuIdle, anothers_work_is) {
  At(1000, 1000, 500);
  EXPECT_EQ(probe_->Busy(own_), "");
  At(1200, 1000, 600);
  EXPECT_THAT(probe_->Busy(own_), HasSubstr("other processes keep 1.0 processors busy"));
  At(1200, 1200, 600);
  EXPECT_EQ(probe_->Busy(own_), "") << "the other work has ended";
}

TEST_F(CpuIdle, a_few_ticks_of_a_daemon_are_no_reason_to_stop) {
  At(1000, 1000, 500);
  probe_->Busy(own_);
  At(1210, 1190, 690);
  EXPECT_EQ(probe_->Busy(own_), "");
}

TEST_F(CpuIdle, too_little_memory_is_busy) {
  At(1000, 1000, 500, 200);
  EXPECT_EQ(probe_->Busy(own_), "only 200 MiB of memory is free");
}

TEST_F(CpuIdle, of_some_processors_only_their_load_counts) {
  const auto at = [&](int first, int second) {
    const auto line = [](int busy) { return " " + std::to_string(busy) + " 0 0 1000 0 0 0\n"; };
    root_.Write("proc/stat",
                "cpu " + line(first + second) + "cpu0" + line(first) + "cpu1" + line(second));
  };
  At(0, 0, 0);
  const auto mine = CpuProbe(root_.path(), {0}), others = CpuProbe(root_.path(), {1});
  at(1000, 1000);
  mine->Busy(own_);
  others->Busy(own_);
  at(1000, 1200);
  EXPECT_EQ(mine->Busy(own_), "") << "only the other processor is busy";
  EXPECT_THAT(others->Busy(own_), HasSubstr("other processes keep 1.0 processors busy"));
}

class AmdIdle : public testing::Test {
 protected:
  AmdIdle() { Card(0, 1 << 20); }
  void Card(int percent, std::uint64_t used_kib) {
    const std::string device = "sys/class/drm/card0/device/";
    root_.Write(device + "gpu_busy_percent", std::to_string(percent) + "\n");
    root_.Write(device + "mem_info_vram_total", std::to_string(std::uint64_t{192} << 30) + "\n");
    root_.Write(device + "mem_info_vram_used", std::to_string(used_kib << 10) + "\n");
  }
  void Process(pid_t pid, pid_t parent) {
    root_.Write("sys/class/kfd/kfd/proc/" + std::to_string(pid) + "/pasid", "32770\n");
    root_.Write("proc/" + std::to_string(pid) + "/stat",
                std::to_string(pid) + " (python3) S " + std::to_string(parent) + " 1 1\n");
  }

  TempFolder root_;
  std::unique_ptr<Probe> probe_ = AmdProbe(root_.path());
};

TEST_F(AmdIdle, an_idle_gpu_is_idle) {
  EXPECT_EQ(probe_->Busy({kAgent, 0}), "");
}

TEST_F(AmdIdle, anothers_process_on_the_gpu_is_work_and_our_tuners_is_not) {
  Process(200, kAgent);
  Process(201, 200);
  EXPECT_EQ(probe_->Busy({kAgent, 0}), "");
  Process(300, 1);
  EXPECT_EQ(probe_->Busy({kAgent, 0}), "process 300 uses the GPU");
}

TEST_F(AmdIdle, its_load_counts_only_while_nothing_of_ours_runs) {
  Card(60, 1 << 20);
  EXPECT_EQ(probe_->Busy({kAgent, 0}), "the GPU is 60 % busy");
  EXPECT_EQ(probe_->Busy({kAgent, kWorker}), "");
}

TEST_F(AmdIdle, memory_that_a_server_took_in_advance_is_busy) {
  Card(0, (std::uint64_t{192} << 20) - (512 << 10));
  EXPECT_EQ(probe_->Busy({kAgent, 0}), "only 512 MiB of the GPU's memory is free");
}

TEST_F(AmdIdle, of_eight_gpus_only_its_own_counts) {
  const std::string nodes = "sys/class/kfd/kfd/topology/nodes/";
  root_.Write(nodes + "1/gpu_id", "4711\n");
  root_.Write(nodes + "1/properties", "domain 0\nlocation_id 49408\nsimd_per_cu 4\n");
  root_.Write("sys/devices/0000:c1:00.0/gpu_busy_percent", "0\n");
  root_.Write("sys/devices/0000:c6:00.0/gpu_busy_percent", "90\n");
  for (const char* card : {"1/c1", "2/c6"}) {
    const std::string name = std::string("sys/class/drm/card") + card[0];
    std::filesystem::create_directories(root_ / name);
    std::filesystem::create_directory_symlink(
        "../../../devices/0000:" + std::string(card + 2) + ":00.0", root_ / (name + "/device"));
  }
  const auto mine = AmdProbe(root_.path(), "0000:c1:00.0");
  EXPECT_EQ(mine->Busy({kAgent, 0}), "");
  EXPECT_THAT(AmdProbe(root_.path(), "0000:c6:00.0")->Busy({kAgent, 0}), HasSubstr("90 % busy"));
  Process(300, 1);  // a daemon of another GPU opens every GPU and uses one
  root_.Write("sys/class/kfd/kfd/proc/300/vram_4711", "0\n");
  EXPECT_EQ(mine->Busy({kAgent, 0}), "");
  root_.Write("sys/class/kfd/kfd/proc/300/vram_4711", "4096\n");
  EXPECT_EQ(mine->Busy({kAgent, 0}), "process 300 uses the GPU");
}

TEST(DaemonWindow, holds_its_beginning_and_not_its_end) {
  const auto window = Must(ParseWindow("01:00-05:00"));
  EXPECT_FALSE(window.Contains(59));
  EXPECT_TRUE(window.Contains(60));
  EXPECT_TRUE(window.Contains(299));
  EXPECT_FALSE(window.Contains(300));
}

TEST(DaemonWindow, goes_over_midnight) {
  const auto window = Must(ParseWindow("22:30-06:00"));
  EXPECT_TRUE(window.Contains(23 * 60));
  EXPECT_TRUE(window.Contains(0));
  EXPECT_FALSE(window.Contains(12 * 60));
}

TEST(DaemonWindow, refuses_what_is_none) {
  for (const char* text : {"", "1:00-5:00", "01:00", "25:00-26:00", "01:60-02:00", "01:00-01:00",
                           "01:00-05:00x", "aa:bb-cc:dd", "-1:00-02:00"}) {
    EXPECT_EQ(ErrorCode(ParseWindow(text)), "bad_window") << text;
  }
}

struct FakeProbe : Probe {
  explicit FakeProbe(const std::atomic<bool>& busy) : busy_(busy) {}
  std::string Busy(const OwnWork&) override { return busy_ ? "others" : ""; }
  const std::atomic<bool>& busy_;
};

class DaemonPace : public testing::Test {
 protected:
  std::unique_ptr<IdlePace> Make(IdleOptions options) {
    options.interval = milliseconds(2);
    options.settle = milliseconds(5);
    return std::make_unique<IdlePace>(
        std::make_unique<FakeProbe>(busy_), options, [] { return OwnWork(); },
        [this] { ++given_up_; }, [this] { return stop_.load(); });
  }
  // If the condition never becomes true, ctest's time limit ends the test.
  static void Until(const std::function<bool()>& condition) {
    while (!condition()) std::this_thread::sleep_for(milliseconds(1));
  }

  std::atomic<bool> busy_{false}, stop_{false};
  std::atomic<int> given_up_{0};
};

TEST_F(DaemonPace, gives_the_device_up_when_others_work_appears_and_takes_it_when_that_ends) {
  const auto pace = Make({});
  ASSERT_TRUE(pace->Await().ok());
  EXPECT_EQ(given_up_, 0);
  const unsigned before = pace->Disturbances();
  busy_ = true;
  Until([&] { return given_up_ == 1; });
  EXPECT_GT(pace->Disturbances(), before);
  EXPECT_EQ(pace->Why(), "others");
  busy_ = false;
  EXPECT_TRUE(pace->Await().ok());
  EXPECT_EQ(given_up_, 1);
}

TEST_F(DaemonPace, waits_until_the_hour_is_right) {
  std::atomic<int> minute{12 * 60};
  IdleOptions options;
  options.window = *ParseWindow("01:00-05:00");
  options.minute_of_day = [&] { return minute.load(); };
  const auto pace = Make(options);
  Until([&] { return pace->Why() == "waiting for the hours of --window"; });
  minute = 2 * 60;
  EXPECT_TRUE(pace->Await().ok());
}

TEST_F(DaemonPace, always_looks_at_nothing_but_the_window) {
  busy_ = true;
  IdleOptions options;
  options.always = true;
  EXPECT_TRUE(Make(options)->Await().ok());
}

TEST_F(DaemonPace, a_stop_ends_the_wait) {
  busy_ = true;
  const auto pace = Make({});
  stop_ = true;
  EXPECT_EQ(ErrorCode(pace->Await()), kStopped);
}

TEST_F(DaemonPace, a_sample_taken_beside_others_is_no_sample) {
  const auto pace = Make({});
  test::FakeDevice device;
  device.kernels = {{test::Kernel("a"), 10}};
  int calls = 0;
  device.on_sample = [&](std::size_t) {
    if (++calls > 1) return core::Error{};
    busy_ = true;  // other work begins during the run and ends before the next check
    Until([&] { return given_up_ == 1; });
    busy_ = false;
    return core::Error{};
  };
  PacedDevice paced(device, *pace);
  EXPECT_EQ(ErrorCode(paced.Sample(0, 1, Cache::kRotating)), kDisturbed);
  EXPECT_TRUE(paced.Sample(0, 1, Cache::kRotating).ok());
}

}  // namespace
}  // namespace tunehub::agent
