// What a host can tune on, and what the program that was copied there has kernels for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace tunehub::test {
namespace {

using Json = nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;

TEST(Discover, lists_the_cpu_and_the_chips_that_there_are_kernels_for) {
  const auto text = RunToEnd({AgentBinary(), {"discover"}});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out,
              ContainsRegex("\ncpu: .*, cpu-x86-64-v[234] with [0-9]+ cores, [0-9]+ GiB\n"));
  EXPECT_THAT(text.out, HasSubstr("\nkernels for: x86-64-v2, x86-64-v3, x86-64-v4; "));

  const auto json = RunToEnd({AgentBinary(), {"discover", "--json"}});
  ASSERT_EQ(json.status, 0) << json.err;
  const Json host = Json::parse(json.out);
  const auto cpu = RunToEnd({AgentBinary(), {"discover", "--kind", "cpu", "--json"}});
  EXPECT_EQ(host.at("devices").back(), Json::parse(cpu.out));
  EXPECT_EQ(host.at("kernels").size(), 3U);  // the CPU's, AMD's, NVIDIA's
  // Without a GPU the reason is said, with one it is a device.
  EXPECT_EQ(host.at("no_gpu").get<std::string>().empty(), host.at("devices").size() > 1);
}

}  // namespace
}  // namespace tunehub::test
