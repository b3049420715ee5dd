// Two writers, one of which stops inside its transaction. Some orders could lose a candidate.
#include <chrono>
#include <future>
#include <thread>

#include "server/ingest/definition_store.h"
#include "tests/db/days.h"
#include "tests/support/batch.h"
#include "tests/support/registry.h"

namespace tunehub::test {
namespace {

using std::chrono::milliseconds;
using WritersRace = RegistryTest;

// A batch that has chosen its winners. It commits when this object is destroyed.
class StoppedBatch {
 public:
  StoppedBatch(Registry& registry, const std::vector<Line>& lines, std::int64_t run)
      : batch_(registry, Csv(lines), run) {
    batch_.request.render = [this](const auto&, const auto&) {
      stopped_.set_value();
      go_.get_future().wait();
      return std::string("{}");
    };
    thread_ = std::thread(
        [this, &registry] { EXPECT_TRUE(registry.ingest.groups.Commit(batch_.request).ok()); });
    stopped_.get_future().wait();
  }
  ~StoppedBatch() {
    go_.set_value();
    thread_.join();
  }

 private:
  Batch batch_;
  std::promise<void> stopped_, go_;
  std::thread thread_;
};

// Starts `write`. Sets `waits` to true if `write` waits for the stopped batch.
template <typename Write>
std::future<void> Begin(Write write, bool& waits) {
  std::future<void> done = std::async(std::launch::async, write);
  waits = done.wait_for(milliseconds(300)) == std::future_status::timeout;
  return done;
}

// Neither batch alone changes the winner.
TEST_F(WritersRace, another_candidate_gets_better_while_the_holder_gets_worse) {
  registry.Send(Csv({{.kernel = "holder", .us = "10"}, {.kernel = "other", .us = "20"}}),
                {.run = registry.NewRun(kDay1)});
  const auto better = registry.NewRun(kDay2), worse = registry.NewRun(kDay3);
  std::future<void> done;
  bool waits = false;
  {
    const StoppedBatch stopped(registry, {{.kernel = "other", .us = "12"}}, better);
    done = Begin([&] { registry.Send(Csv({{.kernel = "holder", .us = "15"}}), {.run = worse}); },
                 waits);
  }
  done.get();
  EXPECT_TRUE(waits);
  EXPECT_EQ(registry.Winners(), "16 other 12 lowest_time");
}

TEST_F(WritersRace, a_run_is_reverted_while_its_batch_is_under_way) {
  const auto run = registry.NewRun(kDay1);
  std::future<void> done;
  bool waits = false;
  {
    const StoppedBatch stopped(registry, {{}}, run);
    done = Begin([&] { EXPECT_TRUE(server::RevertRun(registry.pool, run, {}).ok()); }, waits);
  }
  done.get();
  EXPECT_TRUE(waits);
  EXPECT_EQ(registry.Winners(), "");
  EXPECT_EQ(registry.Revision(), 2);
}

TEST_F(WritersRace, the_definitions_change_while_a_batch_is_under_way) {
  const auto run = registry.NewRun(kDay1);
  const auto stricter =
      FamiliesWith("a8w8_blockscale", [](auto& json) { json["error_limit"] = 0.1; });
  std::future<void> done;
  bool waits = false;
  {
    const StoppedBatch stopped(registry, {{.error = "0.15"}}, run);
    done = Begin(
        [&] {
          EXPECT_TRUE(server::DefinitionStore(registry.pool)
                          .SyncDefinitions(stricter, ShippedTargets(), server::OtherFile::kTaken)
                          .ok());
        },
        waits);
  }
  done.get();
  EXPECT_TRUE(waits);
  EXPECT_EQ(registry.Winners(), "")
      << "the new limit also judged the last batch under the old limit";
}

}  // namespace
}  // namespace tunehub::test
