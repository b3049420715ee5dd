// While the database does not answer, one of many equal requests waits. The other requests get the
// last value.
#include <chrono>
#include <future>

#include "server/insight/analyses.h"
#include "server/insight/overview.h"
#include "server/snapshots/changes.h"
#include "tests/support/held_tables.h"
#include "tests/support/registry.h"

namespace tunehub::test {
namespace {

class OneAskerRace : public testing::Test {
 protected:
  OneAskerRace() { Send(1); }

  void Send(int m) {
    EXPECT_EQ(Refusal(registry_.Send(Csv({{.m = m}}))), "");
    registry_.snapshots.Refresh();
  }

  // `ask` returns a revision's number. The server knows revision 1, and the first `ask` for 2
  // blocks.
  template <typename Ask>
  void ExpectOneIsHeld(Ask ask) {
    EXPECT_EQ(ask(), 1);
    Send(2);
    HeldTables tables(registry_.url, "tuned, tuned_history");
    auto first = std::async(std::launch::async, ask);
    ASSERT_TRUE(tables.Holds());
    EXPECT_EQ(ask(), 1) << "the last known value";
    EXPECT_TRUE(tables.Holds()) << "the first request still waits";
    EXPECT_EQ(first.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
    tables.End();
    EXPECT_EQ(first.get(), 2);
    EXPECT_EQ(ask(), 2);
  }

  Registry registry_;
};

TEST_F(OneAskerRace, when_a_familys_targets_changed) {
  server::Changes changes(registry_.pool, registry_.snapshots);
  const auto& family = registry_.family();
  ExpectOneIsHeld([&] {
    const auto heads =
        changes.HeadsOf(*registry_.snapshots.Current(family), std::chrono::steady_clock::now());
    return heads.at({"gfx942", 304}).revision.number;
  });
}

TEST_F(OneAskerRace, what_changed_lately) {
  server::Changes changes(registry_.pool, registry_.snapshots);
  ExpectOneIsHeld([&] { return changes.Lately(7, 10)->at(0).last; });
}

TEST_F(OneAskerRace, the_overview) {
  registry_.definitions.models = ConfigsOfTwoModels() / "models";
  server::Analyses analyses(registry_.definitions, registry_.pool, registry_.snapshots,
                            registry_.versions);
  server::DispatchTables tables(registry_.definitions, registry_.snapshots);
  server::Overview overview(registry_.definitions, registry_.pool, registry_.snapshots, tables,
                            analyses.speedups);
  ExpectOneIsHeld([&] { return overview.Get(8)->revision.number; });
}

}  // namespace
}  // namespace tunehub::test
