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
  registry.Send(Csv({{.m = 32, .kernel = "tk_mine", .us = "2.5"}}));  // of our own catalog
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

}  // namespace
}  // namespace tunehub::test
