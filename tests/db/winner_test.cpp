// The winner rule, tested from a posted CSV to the served table.
#include "tests/db/days.h"
#include "tests/support/registry.h"

namespace tunehub::test {
namespace {

using Winner = RegistryTest;

TEST_F(Winner, a_tunehub_row_ten_times_faster_leaves_the_default_bytes_unchanged) {
  registry.Send(Csv({{.us = "10.0"}}));
  const std::string before = registry.Table("gfx=gfx942");
  const auto run = registry.NewRun(kDay1, server::Provider::kTunehub);
  registry.Send(Csv({{.kernel = "b", .us = "1.5"}}), {.run = run});
  registry.Send(Csv({{.m = 32, .kernel = "tk_mine", .us = "2.5"}}));  // in tunehub's catalog
  EXPECT_EQ(registry.Table("gfx=gfx942"), before);
  EXPECT_EQ(registry.Winners(),
            "16 a 10.0 only_candidate\ntunehub 16 b 1.5 only_candidate\n"
            "tunehub 32 tk_mine 2.5 only_candidate");
  EXPECT_EQ(registry.Table("provider=tunehub"),
            Csv({{.kernel = "b", .us = "1.5"}, {.m = 32, .kernel = "tk_mine", .us = "2.5"}}));
}

TEST_F(Winner, targets_without_kernels_of_aiter_serve_those_of_tunehub) {
  registry.Send(Csv({{.gfx = "sm_90a", .cu_num = 132}}));
  EXPECT_EQ(registry.Winners(), "sm_90a:132 tunehub 16 a 10.0 only_candidate");
  EXPECT_EQ(registry.Table(), Csv({{.gfx = "sm_90a", .cu_num = 132}}));
}

TEST_F(Winner, a_start_in_the_future_counts_from_its_receipt) {
  registry.Send(Csv({{.us = "20"}}), {.run = registry.NewRun("2999-01-01T00:00:00Z")});
  registry.Send(Csv({{.us = "10"}}));
  EXPECT_EQ(registry.Winners(), "16 a 10 only_candidate");
}

TEST_F(Winner, the_error_limit_is_that_of_the_run) {
  const auto strict = registry.NewRun(kDay1, {}, 0.01);
  registry.Send(Csv({{.error = "0.05"}}), {.run = strict});
  EXPECT_EQ(registry.Winners(), "");
  registry.Send(Csv({{.error = "0.05"}}));
  EXPECT_EQ(registry.Winners(), "16 a 10.0 only_candidate");
}

// Sends a run of sampled rows and returns its receipt.
nlohmann::json SendSampled(Registry& registry, const std::string& day,
                           const std::vector<std::pair<const char*, double>>& times,
                           const char* clock = "steady") {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [kernel, us] : times) {
    rows.push_back({{"gfx", "gfx942"},
                    {"cu_num", 304},
                    {"M", 16},
                    {"N", 1536},
                    {"K", 7168},
                    {"libtype", "ck"},
                    {"kernelId", 1},
                    {"splitK", 0},
                    {"us", us},
                    {"kernelName", kernel},
                    {"tflops", 9},
                    {"bw", 9},
                    {"errRatio", 0.0},
                    {"samples", std::vector<double>(8, us)},
                    {"clock", clock}});
  }
  return Receipt(registry.SendJson(rows.dump(), {.run = registry.NewRun(day)}));
}

std::string HowSure(const nlohmann::json& receipt) {
  std::string text;
  for (const char* member : {"changed", "tied", "likely", "sure"})
    text += (text.empty() ? "" : " ") + receipt.at(member).dump();
  return text;
}

TEST_F(Winner, a_receipt_says_how_sure_the_winners_are_and_noise_changes_no_byte) {
  EXPECT_EQ(HowSure(SendSampled(registry, kDay1, {{"a", 10}, {"b", 12}})), "1 0 1 0");
  const std::string before = registry.Table();
  EXPECT_EQ(HowSure(SendSampled(registry, kDay2, {{"a", 10.05}, {"b", 11.9}})), "0 0 0 1");
  EXPECT_EQ(HowSure(SendSampled(registry, kDay3, {{"c", 9.95}})), "0 1 0 0");
  EXPECT_EQ(HowSure(SendSampled(registry, kDay4, {{"c", 8}}, "capped")), "0 0 0 0");
  EXPECT_EQ(registry.Table(), before);
  EXPECT_EQ(registry.Winners(), "16 a 10.0 tied");
  const auto faster = SendSampled(registry, "2026-01-05T00:00:00Z", {{"c", 9}});
  EXPECT_EQ(HowSure(faster), "1 0 1 0");
  EXPECT_EQ(registry.Winners(), "16 c 9.0 likely");
  ASSERT_TRUE(server::RevertRun(registry.pool, faster.at("run"), {}).ok());
  EXPECT_EQ(registry.Table(), before);
}

}  // namespace
}  // namespace tunehub::test
