// Which runs are of the provenance that somebody asks for.
#include "server/tables/provenance.h"

#include <gtest/gtest.h>

#include "tests/support/shipped.h"

namespace tunehub::server {
namespace {

constexpr const char* kRun = R"({"rocm":"6.4.1","aiter":"e4048607a5b1"})";
constexpr const char* kNone = R"({"provenance":"unknown"})";

TEST(Provenance, a_version_takes_those_below_it_and_a_commit_its_beginning) {
  EXPECT_TRUE(IsVersionOf("6.4", "6.4"));
  EXPECT_TRUE(IsVersionOf("6.4", "6.4.1"));
  EXPECT_TRUE(IsVersionOf("6.4", "6.4-rc1"));
  EXPECT_FALSE(IsVersionOf("6.4", "6.40"));
  EXPECT_FALSE(IsVersionOf("6.4.1", "6.4"));
  EXPECT_TRUE(IsVersionOf("e404860", "e4048607a5b1"));
  EXPECT_FALSE(IsVersionOf("e4048", "e4048607a5b1")) << "too short to be meant";
  EXPECT_FALSE(IsVersionOf("e404861", "e4048607a5b1"));
}

TEST(Provenance, a_run_matches_in_all_that_is_asked) {
  EXPECT_EQ(Judge({.rocm = "6.4", .aiter = ""}, kRun, 0), Provenance::kMatches);
  EXPECT_EQ(Judge({.rocm = "6.4", .aiter = "e404860"}, kRun, 0), Provenance::kMatches);
  EXPECT_EQ(Judge({.rocm = "6.4", .aiter = "0.1"}, kRun, 0), Provenance::kOther);
  EXPECT_EQ(Judge({.rocm = "", .aiter = "", .since = 5}, kRun, 5), Provenance::kMatches);
  EXPECT_EQ(Judge({.rocm = "", .aiter = "", .since = 5}, kRun, 4), Provenance::kOther);
}

TEST(Provenance, what_a_run_does_not_say_is_unknown_and_what_it_says_otherwise_is_not) {
  const char* only_rocm = R"({"rocm":"6.4.1"})";
  EXPECT_EQ(Judge({.rocm = "6.4", .aiter = "e404860"}, only_rocm, 0), Provenance::kUnknown);
  EXPECT_EQ(Judge({.rocm = "7.0", .aiter = "e404860"}, only_rocm, 0), Provenance::kOther);
  EXPECT_EQ(Judge({.rocm = "6.4", .aiter = ""}, R"({"rocm":6.4})", 0), Provenance::kUnknown);
  EXPECT_EQ(Judge({.rocm = "6.4", .aiter = ""}, kNone, 0), Provenance::kUnknown);
  EXPECT_EQ(Judge({.rocm = "", .aiter = "", .since = 5}, kNone, 9), Provenance::kUnknown)
      << "its start is that of its receipt";
}

TEST(Provenance, an_engine_is_asked_for_with_a_version_or_without) {
  EXPECT_TRUE(IsVersionOf("vllm", "vllm@0.11.2"));
  EXPECT_TRUE(IsVersionOf("vllm@0.11", "vllm@0.11.2"));
  EXPECT_FALSE(IsVersionOf("vllm@0.1", "vllm@0.11.2"));
  EXPECT_FALSE(IsVersionOf("vllm@0.11", "sglang@0.11"));
  const char* run = R"({"triton":"3.5.1","pytorch":"2.9.0+rocm7.0","engine":"vllm@0.11.0"})";
  EXPECT_EQ(Judge({.triton = "3.5.1", .pytorch = "2.9", .engine = "vllm"}, run, 0),
            Provenance::kMatches);
  EXPECT_EQ(Judge({.triton = "3.4"}, run, 0), Provenance::kOther);
  EXPECT_EQ(Judge({.rocm = "7.0", .triton = "3.5"}, run, 0), Provenance::kUnknown);
}

TEST(Provenance, a_run_is_of_the_device_that_it_names_most_exactly) {
  const core::Devices& devices = test::ShippedTargets().devices();
  const ProvenanceFilter filter{.devices = {"MI325X"}};
  const auto judge = [&](const char* run) { return Judge(filter, run, 0, devices); };
  EXPECT_EQ(judge(R"({"product":"MI325X"})"), Provenance::kMatches);
  EXPECT_EQ(judge(R"({"product":"MI300X"})"), Provenance::kOther);
  EXPECT_EQ(judge(R"({"gpu":"ip discovery","pci_id":"1002:74a5"})"), Provenance::kMatches);
  EXPECT_EQ(judge(R"({"gpu":"AMD Instinct MI300X","gfx":"gfx942","cu_num":304})"),
            Provenance::kOther)
      << "a sibling is another device";
  EXPECT_EQ(judge(R"({"gpu":"AMD Radeon Graphics","cu_num":304})"), Provenance::kUnknown);
  EXPECT_EQ(judge(kNone), Provenance::kUnknown);
}

}  // namespace
}  // namespace tunehub::server
