// The agent on an emulated AMD GPU. All code above the driver's functions is real. The driver's
// functions launch kernels in the emulator.
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace tunehub::test {
namespace {

using testing::HasSubstr;

std::string Worker() {
  return (std::filesystem::path(AgentBinary()).parent_path() / "emulated-gpu-worker").string();
}

Finished Selftest(const std::string& family, const std::map<std::string, std::string>& environment,
                  std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"selftest", "--device", "gpu",       "--worker", Worker(),
                                        "--family", family,     "--timeout", "120"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return RunToEnd({AgentBinary(), arguments, environment});
}

// A build without an AMD compiler has no kernels.
bool HasKernels() {
  static const bool has = [] {
    const auto done = Selftest("bf16", {{"EMULATED_GFX", "gfx90a"}}, {"--timeout", "1"});
    return done.err.find("because the build found no") == std::string::npos;
  }();
  return has;
}

nlohmann::json Only(const Finished& done) {
  const auto report = nlohmann::json::parse(done.out, nullptr, false);
  return report.is_object() && report["families"].size() == 1 ? report["families"][0]
                                                              : nlohmann::json();
}

class EmulatedGpu : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers do not follow the emulator's fibers";
#endif
    if (!HasKernels()) GTEST_SKIP() << "this build has no AMD kernels: NOTHING WAS CHECKED";
  }
};

TEST_F(EmulatedGpu, what_a_chip_cannot_multiply_is_no_kernel_of_it) {
  const auto done = Selftest("a8w8_blockscale", {{"EMULATED_GFX", "gfx90a"}});
  EXPECT_EQ(done.status, 2);
  EXPECT_THAT(done.err, HasSubstr("no kernel of the named families can run on this device"));
}

TEST_F(EmulatedGpu, a_kernel_that_writes_nothing_is_wrong_and_one_that_faults_costs_itself_alone) {
  const std::string broken = "tk_a8w8_blockscale_256x64x64x128_m16_w2x2_s2_swz_e2_g8",
                    faulty = "tk_a8w8_blockscale_128x16x32x128_m16_w1x2_s2_swz_e2_g1";
  const auto done = Selftest(
      "a8w8_blockscale",
      {{"EMULATED_GFX", "gfx950"}, {"EMULATED_BROKEN", broken}, {"EMULATED_FAULTY", faulty}},
      {"--json"});
  ASSERT_EQ(done.status, 1) << done.err;
  const auto device = nlohmann::json::parse(done.out)["device"];
  EXPECT_EQ(device["gfx"], "gfx950") << "the architecture without its feature flags";
  EXPECT_EQ(device["cu_num"], 304);
  EXPECT_EQ(device["driver"], "60342134");
  const auto family = Only(done);
  EXPECT_EQ(family["wrong"], 1) << done.out;
  EXPECT_EQ(family["failed"], 1);
  EXPECT_GE(family["ok"], 8);
  EXPECT_EQ(family["ok"].get<int>() + 2, family["kernels"])
      << "no kernel may lack a shape that tests it";
  EXPECT_GT(family["runs"], 3 * family["kernels"].get<int>()) << "some runs must split K";
  for (const auto& fault : family["faults"]) {
    const bool wrong = fault["status"] == "wrong";
    EXPECT_EQ(fault["kernel"], wrong ? broken : faulty);
    EXPECT_THAT(
        fault["reason"].get<std::string>(),
        HasSubstr(wrong ? "the relative Frobenius error "
                        : "memory that does not belong to it, hipErrorIllegalAddress (700)"));
  }
}

}  // namespace
}  // namespace tunehub::test
