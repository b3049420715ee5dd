// Data of the start page: changes with their targets, and the most missed shapes.
#include "tests/e2e/queue/queue_hub.h"

namespace tunehub::test {
namespace {

class PageData : public QueueHubTest {
 protected:
  static Json Post(const std::string& path, const std::string& body,
                   const std::string& type = "text/csv") {
    const auto answer = Admin().Post(path, body, {{"Content-Type", type}});
    EXPECT_LT(answer.status, 300) << answer.body;
    return JsonOf(answer);
  }
  static Json TargetOf(const std::string& gfx, const std::string& name = "a8w8_blockscale") {
    const Json index = JsonOf(Open().Get("/tuned"));
    for (const Json& family : index.at("families")) {
      for (const Json& it : family.at("targets")) {
        if (family.at("family") == name && it.at("gfx") == gfx) return it;
      }
    }
    return {};
  }
  static Json Missing(const std::string& gfx) {
    return JsonOf(Open().Get("/demand?tuned=no&gfx=" + gfx)).at("demand");
  }
  static Json Plan(const std::string& gfx, const std::string& shapes) {
    return Post("/jobs/plan",
                R"({"gfx":")" + gfx + R"(","cu_num":304,"family":"a8w8_blockscale",)" +
                    R"("from":[{"shapes":)" + shapes + "}]}",
                "application/json");
  }
};

TEST_F(PageData, a_target_has_the_revision_that_changed_its_own_rows) {
  const Json first = Post(kResults, kHeader + Row(16, "9.0", "gfx2101"));
  const Json second = Post(kResults, kHeader + Row(16, "9.0", "gfx2102"));
  EXPECT_LT(first.at("revision"), second.at("revision"));
  EXPECT_EQ(TargetOf("gfx2101").at("revision"), first.at("revision"));
  EXPECT_EQ(TargetOf("gfx2102").at("revision"), second.at("revision"));
  EXPECT_EQ(TargetOf("gfx2101").at("changed").get<std::string>().substr(0, 2), "20");
  // A revert also changes the target's revision.
  Post(kResults, kHeader + Row(32, "9.0", "gfx2101"));
  const std::string run = Post(kResults, kHeader + Row(64, "9.0", "gfx2101")).at("run").dump();
  const Json reverted = Post("/runs/" + run + "/revert", "");
  EXPECT_EQ(TargetOf("gfx2101").at("revision"), reverted.at("revision"));
  EXPECT_EQ(TargetOf("gfx2102").at("revision"), second.at("revision"));
}

// The hub serves rows whose shape key names the engine for every provider.
TEST_F(PageData, a_family_of_engines_has_the_revision_that_changed_it) {
  const std::string header = "engine,device,E,N,dtype,M,config,us\n";
  const auto row = [](const std::string& engine, const std::string& device) {
    return engine + "," + device + ",8,2048,fp8_w8a8,1,\"{\"\"BLOCK_SIZE_M\"\":16}\",\n";
  };
  const std::string path = "/results/triton_fused_moe";
  const Json vllm = Post(path, header + row("vllm", "AMD_Instinct_MI300X"));
  EXPECT_EQ(TargetOf("gfx942", "triton_fused_moe").at("revision"), vllm.at("revision"));
  const Json sglang = Post(path, header + row("sglang", "AMD_Instinct_MI300X"));
  EXPECT_LT(vllm.at("revision"), sglang.at("revision"));
  EXPECT_EQ(TargetOf("gfx942", "triton_fused_moe").at("revision"), sglang.at("revision"));
  const Json unknown = Post(path, header + row("vllm", "Made_Up"));
  EXPECT_EQ(TargetOf("unknown", "triton_fused_moe").at("revision"), unknown.at("revision"));
  EXPECT_EQ(TargetOf("gfx942", "triton_fused_moe").at("revision"), sglang.at("revision"));
}

TEST_F(PageData, a_key_that_changed_three_times_in_a_line_counts_once) {
  std::int64_t last = 0;
  for (const char* us : {"12.0", "11.0", "10.0"}) {
    last = Post("/results/a8w8",
                "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,errRatio\n"
                "gfx2103,304,16,2048,3072,torch.int8,1,0," +
                    std::string(us) + ",kernel" + us + ",0.0\n")
               .at("revision");
  }
  const Json changes = JsonOf(Open().Get("/changes?days=7&limit=1"));
  const Json& line = changes.at("changes").at(0);
  EXPECT_EQ(line.at("last"), last);
  EXPECT_EQ(line.at("first"), last - 2);
  EXPECT_EQ(line.at("families"), Json::parse(R"([{"family":"a8w8","keys":1}])"));
  EXPECT_EQ(line.at("run_count"), 3);
  EXPECT_EQ(line.at("runs").size(), 3U);
  EXPECT_EQ(Verdict(Open().Get("/runs/" + line.at("runs").at(0).dump())), "200");
  EXPECT_EQ(Verdict(Open().Get("/changes?days=0")), "400 bad_parameter");
  EXPECT_EQ(Verdict(Open().Get("/changes?since=x")), "400 unknown_parameter");
}

TEST_F(PageData, what_is_tuned_is_not_missing_and_a_plan_is_of_one_shape) {
  Post(kResults, kHeader + Row(16, "9.0", "gfx2104", "304"));
  Post("/untuned/a8w8_blockscale?gfx=gfx2104&cu_num=304",
       "M,N,K,count\n16,2048,3072,90\n17,2048,3072,40\n100,2048,3072,5\n");
  const Json before = Missing("gfx2104");
  ASSERT_EQ(before.size(), 2U) << before;
  EXPECT_EQ(before.at(0).at("shape").at("M"), 32);
  EXPECT_EQ(before.at(0).at("to_tune").at("M"), 32);
  EXPECT_EQ(before.at(0).at("job"), Json());
  const std::string shapes = "[" + before.at(0).at("to_tune").dump() + "]";
  const Json plan = Plan("gfx2104", shapes);
  ASSERT_EQ(plan.at("jobs").size(), 1U) << plan;
  EXPECT_EQ(plan.at("jobs").at(0).at("shapes"), 1);
  EXPECT_EQ(Plan("gfx2104", shapes).at("families").at("a8w8_blockscale").at("queued"), 1);
  const Json after = Missing("gfx2104");
  EXPECT_EQ(after.at(0).at("job").at("id"), plan.at("jobs").at(0).at("id"));
  EXPECT_EQ(after.at(0).at("job").at("state"), "queued");
  EXPECT_EQ(after.at(1).at("job"), Json());
  EXPECT_EQ(JsonOf(Open().Get("/demand?gfx=gfx2104")).at("demand").size(), 3U);
  EXPECT_EQ(Verdict(Admin().Post("/jobs/plan",
                                 R"({"gfx":"gfx2104","cu_num":304,"family":"a8w8_blockscale",)"
                                 R"("from":[{"shapes":[{"M":0,"N":1,"K":1}]}]})")),
            "422 bad_shape");
}

}  // namespace
}  // namespace tunehub::test
