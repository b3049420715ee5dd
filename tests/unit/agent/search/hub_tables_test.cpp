// What the tuner makes of a hub's hints.
#include "agent/search/hub_tables.h"

#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

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
