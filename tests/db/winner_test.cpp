// The winner rule, from a posted CSV to the served table.
#include <gtest/gtest.h>

#include "tests/db/days.h"
#include "tests/support/registry.h"

namespace tunehub::test {
namespace {

using Winner = RegistryTest;

TEST_F(Winner, an_unmeasured_row_never_beats_a_measurement_whichever_comes_first) {
  for (const char* us : {"0", "inf", "nan"}) {
    const Line measured{.kernel = "slow", .us = "900.5"}, unmeasured{.kernel = "z", .us = us};
    for (const auto& order : {std::pair(measured, unmeasured), std::pair(unmeasured, measured)}) {
      Registry hub;
      hub.Send(Csv({order.first}));
      hub.Send(Csv({order.second}));
      EXPECT_EQ(hub.Winners(), "16 slow 900.5 only_measured") << us;
    }
    Registry together;
    together.Send(Csv({unmeasured, measured}));
    EXPECT_EQ(together.Winners(), "16 slow 900.5 only_measured") << us;
  }
}

TEST_F(Winner, an_unmeasured_row_that_is_alone_is_served_unless_only_measured_rows_are_wanted) {
  registry.Send(Csv({{.us = "0"}}));
  EXPECT_EQ(registry.Winners(), "16 a 0 nothing_measured");
  EXPECT_EQ(registry.Table(), Csv({{.us = "0"}}));
  EXPECT_EQ(registry.Table("measured=only"), "no_rows");
}

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

TEST_F(Winner, a_later_slower_measurement_of_the_winner_lets_the_next_candidate_win) {
  registry.Send(Csv({{.kernel = "a", .us = "10"}, {.kernel = "b", .us = "12"}}),
                {.run = registry.NewRun(kDay1)});
  registry.Send(Csv({{.kernel = "a", .us = "15"}}), {.run = registry.NewRun(kDay2)});
  EXPECT_EQ(registry.Winners(), "16 b 12 lowest_time");
  // What arrives late but is older corrects nothing.
  registry.Send(Csv({{.kernel = "a", .us = "1.5"}}),
                {.run = registry.NewRun("2025-12-31T00:00:00Z")});
  EXPECT_EQ(registry.Winners(), "16 b 12 lowest_time");
}

TEST_F(Winner, a_start_in_the_future_counts_from_its_receipt) {
  registry.Send(Csv({{.us = "20"}}), {.run = registry.NewRun("2999-01-01T00:00:00Z")});
  registry.Send(Csv({{.us = "10"}}));
  EXPECT_EQ(registry.Winners(), "16 a 10 only_candidate");
}

TEST_F(Winner, at_an_equal_time_the_lower_error_wins_and_no_error_is_the_highest) {
  registry.Send(Csv({{.kernel = "none", .error = ""}}));
  registry.Send(Csv({{.kernel = "high", .error = "0.04"}}));
  EXPECT_EQ(registry.Winners(), "16 high 10.0 lower_error");
  registry.Send(Csv({{.kernel = "low", .error = "1%"}}));
  EXPECT_EQ(registry.Winners(), "16 low 10.0 lower_error");
}

TEST_F(Winner, at_equal_time_and_error_the_same_candidate_wins_in_both_orders) {
  std::string winners[2];
  for (int first = 0; first < 2; ++first) {
    Registry hub;
    hub.Send(Csv({{.kernel = first == 0 ? "a" : "b"}}));
    hub.Send(Csv({{.kernel = first == 0 ? "b" : "a"}}));
    winners[first] = hub.Winners();
  }
  EXPECT_EQ(winners[0], winners[1]);
  EXPECT_NE(winners[0].find("tie_break"), std::string::npos) << winners[0];
}

// A reason was written when a row won and kept when slower rows came: rows said "only_candidate"
// beside three others.
TEST_F(Winner, the_reason_follows_candidates_that_do_not_win) {
  registry.Send(Csv({{.kernel = "a", .us = "10"}}), {.run = registry.NewRun(kDay1)});
  EXPECT_EQ(registry.Winners(), "16 a 10 only_candidate");
  registry.Send(Csv({{.kernel = "b", .us = "0"}}),
                {.run = registry.NewRun(kDay1, server::Provider::kAiter)});
  EXPECT_EQ(registry.Winners(), "16 a 10 only_measured");
  registry.Send(Csv({{.kernel = "b", .us = "12"}}), {.run = registry.NewRun(kDay2)});
  EXPECT_EQ(registry.Winners(), "16 a 10 lowest_time");
  registry.Send(Csv({{.kernel = "b", .us = "10", .error = "0.04"}}),
                {.run = registry.NewRun(kDay3)});
  EXPECT_EQ(registry.Winners(), "16 a 10 lower_error");
  registry.Send(Csv({{.kernel = "b", .us = "0"}}));
  EXPECT_EQ(registry.Winners(), "16 a 10 lower_error") << "it stands by the time it had";
  registry.Send(Csv({{.kernel = "b", .error = "0.9"}}));
  EXPECT_EQ(registry.Winners(), "16 a 10 only_candidate") << "it is out";
  EXPECT_EQ(registry.Revision(), 1) << "nothing served has changed";
}

TEST_F(Winner, a_quarantined_row_is_stored_and_never_served) {
  registry.Send(Csv({{.us = "2.5", .error = "0.9"}}));
  EXPECT_EQ(registry.Table("allow_empty=1"), kHeader);
  EXPECT_EQ(registry.Table(), "no_rows");
  EXPECT_EQ(registry.Revision(), 0);
  registry.Send(Csv({{.kernel = "b", .us = "900"}}));
  EXPECT_EQ(registry.Winners(), "16 b 900 only_candidate");
  EXPECT_EQ(registry.Count("measurement"), 2);
}

TEST_F(Winner, the_error_limit_is_that_of_the_run) {
  const auto strict = registry.NewRun(kDay1, {}, 0.01);
  registry.Send(Csv({{.error = "0.05"}}), {.run = strict});
  EXPECT_EQ(registry.Winners(), "");
  registry.Send(Csv({{.error = "0.05"}}));
  EXPECT_EQ(registry.Winners(), "16 a 10.0 only_candidate");
}

std::string Declared(const std::string& kernel) {
  return "gfx,cu_num,token,model_dim,inter_dim,expert,topk,shared_expert_id,act_type,dtype,q_dtype_"
         "a,"
         "q_dtype_w,q_type,use_g1u1,doweight_stage1,hidden_pad,intermediate_pad,gate_mode,block_m,"
         "ksplit,kernelName1,kernelName2\n"
         "gfx950,256,1,7168,256,257,9,256,ActivationType.Silu,torch.bfloat16,torch.bfloat16,"
         "torch.float4_e2m1fn_x2,QuantType.per_1x32,1,0,0,0,GateMode.SEPARATED,16,0," +
         kernel + ",\n";
}

TEST_F(Winner, of_declared_rows_the_latest_run_wins_whichever_comes_first) {
  for (const bool newer_first : {true, false}) {
    Registry hub;
    const auto older = hub.NewRun(kDay1), newer = hub.NewRun(kDay2);
    for (const bool newest : {newer_first, !newer_first}) {
      hub.Send(Declared(newest ? "z_new" : "a_old"), {.run = newest ? newer : older}, "fhmoe");
    }
    EXPECT_EQ(hub.Table("", "fhmoe"), Declared("z_new"));
  }
}

}  // namespace
}  // namespace tunehub::test
