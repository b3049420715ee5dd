// A shape for which only the default was measured. The hub serves the row and marks it as a
// baseline, and the shape stays in the demand.
#include "tests/e2e/queue/queue_hub.h"

namespace tunehub::test {
namespace {

class BaselineEndpoints : public QueueHubTest {
 protected:
  static Json Measured(const std::string& gfx, const std::string& kernel, double us,
                       const Json& more = Json::object()) {
    Json row = {{"gfx", gfx}, {"cu_num", 304},       {"M", 16},       {"N", 2048},
                {"K", 3072},  {"libtype", "ck"},     {"kernelId", 1}, {"splitK", 0},
                {"us", us},   {"kernelName", kernel}};
    row.update(more);
    return row;
  }
  static void Send(const std::vector<Json>& rows) {
    Good(Admin().PostJson(kResults, {{"rows", rows}}));
  }
  static void Want(const std::string& gfx) {
    Good(Submitter().Post("/untuned/a8w8_blockscale?cu_num=304&gfx=" + gfx,
                          "M,N,K,count\n16,2048,3072,9\n"));
  }
  static Json Get(const std::string& path) { return JsonOf(Open().Get(path)); }
  static Json TargetOf(const std::string& gfx) {
    const Json index = Get("/tuned");
    for (const Json& family : index.at("families")) {
      for (const Json& target : family.at("targets")) {
        if (target.at("gfx") == gfx) return target;
      }
    }
    return {};
  }
};

const Json kDefault = {{"is_default", true}};
const std::string kShape = "&cu_num=304&M=16&N=2048&K=3072";

TEST_F(BaselineEndpoints, it_is_served_and_marked_wherever_a_row_is_shown) {
  Send({Measured("gfx2101", "only_default", 40, kDefault)});
  const std::string target = "gfx=gfx2101";
  EXPECT_THAT(Open().Get("/tuned/a8w8_blockscale?" + target).body, HasSubstr("only_default"));
  EXPECT_EQ(Get("/tuned/a8w8_blockscale?format=json&" + target)["rows"][0]["baseline"], true);
  EXPECT_EQ(Open().Get("/tuned/a8w8_blockscale?measured=only&" + target).status, 200);
  EXPECT_EQ(Open().Get("/tuned/a8w8_blockscale?measured=tuned&" + target).status, 404);
  EXPECT_EQ(Get("/rows/a8w8_blockscale?" + target)["rows"][0]["baseline"], true);
  const Json shape = Get("/shapes/a8w8_blockscale?" + target + kShape);
  EXPECT_EQ(shape["measurements"][0]["is_default"], true);
  EXPECT_EQ(shape["measurements"][0]["baseline"], true);
  const Json lookup = Get("/lookup/a8w8_blockscale?" + target + kShape);
  EXPECT_EQ(lookup["row"]["baseline"], true);
  EXPECT_EQ(lookup["wanted"]["to_tune"]["M"], 16) << "the shape is still worth tuning";
  EXPECT_EQ(Get("/search?q=only_default")["kernels"][0]["baselines"], 1);
}

TEST_F(BaselineEndpoints, it_counts_neither_as_tuned_nor_as_covered_until_a_candidate_is_measured) {
  Send({Measured("gfx2102", "slow", 40, kDefault)});
  EXPECT_EQ(TargetOf("gfx2102")["rows"], 1);
  EXPECT_EQ(TargetOf("gfx2102")["baselines"], 1);
  const auto cover = [] {
    return JsonOf(Submitter().Post("/coverage?family=a8w8_blockscale&gfx=gfx2102&cu_num=304",
                                   "M,N,K\n16,2048,3072\n", {{"Content-Type", "text/csv"}}))
        .at("families")
        .at(0);
  };
  EXPECT_EQ(cover()["totals"]["baseline"], 1);
  EXPECT_EQ(cover()["totals"]["exact"], 0);
  EXPECT_EQ(cover()["headline"]["covered"], 0.0);
  EXPECT_EQ(Get("/speedups?gfx=gfx2102")["tuned_alone"], 0);
  Send({Measured("gfx2102", "fast", 10)});
  EXPECT_EQ(TargetOf("gfx2102")["baselines"], 0);
  EXPECT_EQ(cover()["totals"]["exact"], 1);
  EXPECT_EQ(Get("/speedups?gfx=gfx2102")["tuned_over_default"]["keys"], 1);
}

TEST_F(BaselineEndpoints, demand_of_it_stays_and_becomes_a_job_of_whoever_asks_for_work) {
  Send({Measured("gfx2103", "slow", 40, kDefault)});
  Want("gfx2103");
  EXPECT_THAT(Open().Get("/untuned/a8w8_blockscale?cu_num=304&gfx=gfx2103").body,
              HasSubstr("2048"));
  EXPECT_EQ(JsonOf(Good(Claim("host-1", "gfx2103")))["shapes"].size(), 1U);
}

TEST_F(BaselineEndpoints, it_is_no_shape_that_another_target_has_tuned) {
  const auto wanted = [] {
    const RawAnswer planned =
        Good(Admin().Post("/jobs/plan?dry_run=1", R"({"gfx":"gfx2106","cu_num":304,)"
                                                  R"("from":["other_targets"]})"));
    return JsonOf(planned)["families"].value("a8w8_blockscale", Json{{"wanted", 0}})["wanted"];
  };
  Send({Measured("gfx2105", "slow", 40, {{"is_default", true}, {"N", 2064}})});
  const Json before = wanted();
  Send({Measured("gfx2105", "fast", 20, {{"N", 2064}})});
  EXPECT_EQ(wanted(), before.get<int>() + 1);
}

}  // namespace
}  // namespace tunehub::test
