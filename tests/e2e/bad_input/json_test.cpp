#include "tests/e2e/queue/queue_hub.h"

namespace tunehub::test {
namespace {

using BadNumberTest = QueueHubTest;

constexpr const char* kRow =
    R"({"gfx":"gfx942","cu_num":80,"M":1,"N":2,"K":3,"kernelId":1,"splitK":0,"us":)";

TEST_F(BadNumberTest, a_number_out_of_range_is_422_with_the_members_path_wherever_json_is_read) {
  const std::string before = Stored();
  struct Case {
    std::string target, body, path;
  };
  const std::string claim = R"({"agent":"a","gfx":"gfx942","cu_num":)";
  const std::string lease = R"({"agent":"a","epoch":1,)";
  const Case cases[] = {
      {"/jobs/claim", claim + "1e999}", "/cu_num: "},
      {"/jobs/claim", claim + "-1e999}", "/cu_num: "},
      {"/jobs/claim", claim + "304,\"families\":[\"a8w8\",1e999]}", "/families/1: "},
      {"/jobs/claim", claim + "18446744073709551615}", "/cu_num: 18446744073709551615"},
      {"/jobs/1/heartbeat", lease + R"("progress":{"done":[1,1e999]}})", "/progress/done/1: "},
      {"/jobs/1/heartbeat", R"({"agent":"a","epoch":1e999})", "/epoch: "},
      {"/jobs/1/complete", lease + R"("run":1e999})", "/run: "},
      {"/jobs/1/complete", lease + R"("run":9223372036854775808})", "/run: 9223372036854775808"},
      {"/jobs/1/fail", lease + R"("reason":1e999})", "/reason: "},
      {"/jobs/plan", R"({"family":"a8w8","m~/":1e999})", "/m~0~1: "},
      {"/jobs", R"({"family":"a8w8","gfx":"gfx942","shapes":[{"M":1},{"M":1e999}]})",
       "/shapes/1/M: "},
      {"/agents", R"({"agent":"a","gfx":"gfx942","cu_num":304,"version":1e999})", "/version: "},
      {"/runs", R"({"host":"h","note":[1,2,1e999]})", "/note/2: "},
      {"/runs", R"({"error_limit":1e999})", "/error_limit: "},
      {"/untuned/a8w8", R"({"shapes":[{"M":1e999,"N":1,"K":1}]})", "/shapes/0/M: "},
      {kResults, std::string(R"({"rows":[)") + kRow + "1e999}]}", "/rows/0/us: "},
      {kResults, std::string("[") + kRow + "5.0}," + kRow + "5.0,\"samples\":[1,1e999]}]",
       "/1/samples/1: "}};
  for (const Case& it : cases) {
    const auto answer = Admin().Post(it.target, it.body, {{"Content-Type", "application/json"}});
    EXPECT_EQ(answer.status, 422) << it.target << " " << it.body << " -> " << answer.body;
    EXPECT_THAT(JsonOf(answer).at("detail").get<std::string>(), HasSubstr(it.path)) << it.target;
  }
  EXPECT_EQ(Stored(), before);
}

std::string RowWith(const std::string& evidence) {
  return R"({"gfx":"gfx942","cu_num":80,"M":1,"N":2048,"K":3072,"libtype":"ck","kernelId":8,)"
         R"("splitK":2,"us":7.5,"errRatio":0,"kernelName":")" +
         kKernel + "\"" + evidence + "}";
}

std::string Samples(std::size_t count, const std::string& sample) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += (i == 0 ? "" : ",") + sample;
  return R"(,"samples":[)" + list + "]";
}

TEST_F(BadNumberTest, evidence_is_times_that_can_be_and_short_texts_or_is_refused_with_its_place) {
  const std::string before = Stored(), large(5000, 'x');
  const std::pair<std::string, std::string> cases[] = {
      {R"(,"samples":[7.1,"abc"])", "samples[1]: \"abc\" must be a number"},
      {R"(,"samples":[null])", "samples[0]: null must be a number"},
      {R"(,"samples":[7,-1])", "samples[1]: -1 must be 1e-09 to 1000000000000 microseconds"},
      {R"(,"samples":[1e-16383])", "samples[0]: 1e-16383 must be"},
      {R"(,"samples":[1e-20000])", "samples[0]: 1e-20000 must be"},
      {R"(,"samples":[5e-324])", "samples[0]: 5e-324 must be"},
      {R"(,"samples":[0])", "samples[0]: 0 must be"},
      {R"(,"samples":7)", "samples: 7 must be an array of numbers"},
      {Samples(1001, "7"), "samples: more than 1000"},
      {R"(,"us_cold":1e300)", "us_cold: 1e300 must be"},
      {R"(,"status":7)", "status: 7 must be a text"},
      {R"(,"reason":")" + large + "\"", "reason: has 5002 bytes; the limit is 4096"}};
  const Headers json = {{"Content-Type", "application/json"}};
  for (const auto& [evidence, said] : cases) {
    const auto answer =
        Admin().Post(kResults, "[" + RowWith("") + "," + RowWith(evidence) + "]", json);
    EXPECT_EQ(Verdict(answer), "422 bad_evidence") << said << answer.body;
    EXPECT_THAT(JsonOf(answer).at("detail").get<std::string>(), HasSubstr("row 2: " + said));
    const auto place = JsonOf(answer).at("errors").at(0);
    EXPECT_EQ(place.at("row"), 2);
    EXPECT_EQ(place.at("column"), said.substr(0, said.find_first_of("[:")));
  }
  EXPECT_EQ(Verdict(Admin().Post("/runs", R"({"note":[1,-1e300]})")), "422 bad_run");
  const auto shape_text =
      Admin().Post("/untuned/a8w8?atomic=1",
                   R"({"shapes":[{"M":1,"N":1,"K":1,"q_dtype_w":")" + large + "\"}]}", json);
  EXPECT_EQ(Verdict(shape_text), "422 rejected_rows");
  EXPECT_THAT(shape_text.body, HasSubstr("has 5000 bytes; the limit is 4096"));
  EXPECT_EQ(Stored(), before);
  const std::string body = "[" + RowWith(Samples(1000, "7.10000000000000000000000001")) + "]";
  EXPECT_EQ(Verdict(Admin().Post(kResults, body, json)), "200");
  const auto shape = Open().Get("/shapes/a8w8_blockscale?gfx=gfx942&cu_num=80&M=1&N=2048&K=3072");
  EXPECT_EQ(JsonOf(shape).at("measurements").at(0).at("evidence").at("samples").size(), 1000u);
  EXPECT_LT(shape.body.size(), 10'000u) << "the answer must not repeat every error";
}

}  // namespace
}  // namespace tunehub::test
