// Several devices tune, each shape on one device. A lost device loses only its own shapes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <set>

#include "agent/search/hub_tables.h"
#include "agent/search/tuning_bench.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/unit/agent/agent_support.h"
#include "tests/unit/agent/search/tuning_support.h"

namespace tunehub::agent {
namespace {

using agent::test::ReadText;
using agent::test::RealConfiguration;
using agent::test::TempFolder;
using test::FakeDevice;
using test::Kernel;
using test::Shape;
using testing::ElementsAre;
using testing::UnorderedElementsAreArray;

struct Told : Observer {
  void Begin(std::size_t index, std::size_t total, const std::string&, std::size_t) override {
    begun.push_back(index);
    totals.push_back(total);
  }
  void Screened(const Measurement&) override {}
  void Finished(const DoneShape& done) override { finished.push_back(TextOf(done.shape)); }
  void Note(const std::string& text) override { notes.push_back(text); }
  std::vector<std::size_t> begun, totals;
  std::vector<std::string> finished, notes;
};

class TuningSideBySide : public testing::Test {
 protected:
  static constexpr std::size_t kSides = 3;

  TuningSideBySide() {
    for (int m = 1; m <= 8; ++m) shapes_.push_back(Shape(16 * m));
    for (FakeDevice& device : devices_) {
      device.kernels = {{Kernel("tk_a"), 90}, {Kernel("tk_b"), 40}};
    }
  }
  core::Result<Summary> Run() {
    const auto spool = Spool::Open(folder_.path() / "spool");
    std::deque<Outbox> outboxes;
    std::vector<DeviceSide> sides;
    for (std::size_t i = 0; i < kSides; ++i) {
      TuneTask task;
      task.family = configuration_.families.Find("a8w8");
      task.target = {"sm_90", 132};
      task.shapes = ShareOf(shapes_, i, kSides);
      task.journal = JournalPath(folder_.path() / "state", task, "tune");
      sides.push_back({"GPU " + std::to_string(i), devices_[i],
                       outboxes.emplace_back(*spool, nullptr, OutboxOptions{}), nullptr, task});
    }
    return TuneSideBySide(configuration_, sides, *spool, told_);
  }
  std::vector<std::string> Texts() const {
    std::vector<std::string> texts;
    for (const Columns& shape : shapes_) texts.push_back(TextOf(shape));
    return texts;
  }

  TempFolder folder_;
  Configuration configuration_ = RealConfiguration();
  std::vector<Columns> shapes_;
  FakeDevice devices_[kSides];
  Told told_;
};

TEST_F(TuningSideBySide, each_shape_is_tuned_once_whichever_device_takes_it) {
  EXPECT_EQ(Must(Run()).tuned, 8U);
  EXPECT_THAT(told_.finished, UnorderedElementsAreArray(Texts()));
  EXPECT_THAT(told_.begun, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7)) << "all devices share one count";
  EXPECT_THAT(told_.totals, testing::Each(8U));
  EXPECT_EQ(devices_[0].prepared, 3);
  EXPECT_EQ(devices_[1].prepared, 3);
  EXPECT_EQ(devices_[2].prepared, 2);
  std::set<std::string> keys, runs;
  for (const auto& path : Spool::Open(folder_.path() / "spool")->Waiting()) {
    const auto batch = ParseBatch(ReadText(path));
    keys.insert(batch->header.key);
    runs.insert(batch->header.new_run->key);
  }
  EXPECT_EQ(keys.size(), 8U);
  EXPECT_EQ(runs.size(), kSides) << "each device has its own clocks";
}

TEST_F(TuningSideBySide, a_lost_device_leaves_the_others_their_shares) {
  devices_[1].on_verify = [count = 0](std::size_t) mutable {
    return ++count > 2 ? core::Error{kNoDevice, "the worker does not start again"} : core::Error{};
  };
  const auto summary = Must(Run());
  EXPECT_EQ(summary.tuned, 6U) << "3 + 2, and 1 that the lost device had finished";
  EXPECT_EQ(summary.failed, 2U);
  EXPECT_THAT(told_.notes, ElementsAre("GPU 1: the worker does not start again"));
}

TEST_F(TuningSideBySide, with_all_devices_lost_the_first_ones_error_is_the_answer) {
  for (FakeDevice& device : devices_) {
    device.on_verify = [](std::size_t) { return core::Error{kNoDevice, "gone"}; };
  }
  const auto summary = Run();
  EXPECT_EQ(ErrorCode(summary), kNoDevice);
  EXPECT_EQ(summary.error().detail, "gone");
}

std::string WorkspaceSaid(const char* family, const char* kind) {
  EngineRun run;
  run.family = family;
  DeviceInfo device;
  device.kind = kind;
  const auto made = EngineRunOf(run, device, tunehub::test::ShippedTargets().devices(), "", "");
  if (!made.ok()) return made.error().detail;
  return made->provenance.value("/facts/hipblaslt_workspace"_json_pointer, std::string("not said"));
}

TEST(EngineBatch, a_run_of_tunableop_says_the_workspace_of_hipblaslt) {
  ::unsetenv("CUBLASLT_WORKSPACE_SIZE");
  ::unsetenv("HIPBLASLT_WORKSPACE_SIZE");
  EXPECT_EQ(WorkspaceSaid("tunableop", "amd"), "default");
  EXPECT_EQ(WorkspaceSaid("tunableop", "nvidia"), "not said");
  EXPECT_EQ(WorkspaceSaid("triton_fused_moe", "amd"), "not said");
  ::setenv("HIPBLASLT_WORKSPACE_SIZE", "81920", 1);
  EXPECT_EQ(WorkspaceSaid("tunableop", "amd"), "81920");
  ::setenv("CUBLASLT_WORKSPACE_SIZE", "4096", 1);
  EXPECT_EQ(WorkspaceSaid("tunableop", "amd"), "4096") << "PyTorch reads this variable first";
  ::unsetenv("CUBLASLT_WORKSPACE_SIZE");
  ::unsetenv("HIPBLASLT_WORKSPACE_SIZE");
}

TEST(HubTables, AnswersOfAnotherFormAreNoHints) {
  const Configuration configuration = agent::test::RealConfiguration();
  const core::Family& family = *configuration.families.Find("a8w8_blockscale");
  agent::test::FakeHub hub;
  HubTables tables(hub, family, configuration.targets, {.tries = 1});
  const core::Target target{"gfx942", 304};
  std::string sound = agent::test::BlockscaleRow(16, "4.5");
  sound.pop_back();
  const std::string measured = R"({"standing":"measured","us":4.5,"line":")" + sound + "\"}";
  for (const std::string& list :
       {std::string("[1,2,3]"), std::string(R"({"a":1})"), std::string(R"([{"standing":5}])"),
        std::string(R"([{"standing":"measured","us":1.0,"line":7}])"),
        std::string(R"([{"standing":"measured","us":1.0}])"), std::string("null")}) {
    hub.answers = {{200, {}, R"({"measurements":)" + list + "}"}};
    EXPECT_TRUE(tables.Ranked(target, {}).empty()) << list;
  }
  hub.answers = {{200, {}, R"({"measurements":[7,)" + measured + "]}"}};
  EXPECT_EQ(tables.Ranked(target, {}).size(), 1U);
}

}  // namespace
}  // namespace tunehub::agent
