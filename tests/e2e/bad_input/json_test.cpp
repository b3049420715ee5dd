// Bad input, part five: JSON with numbers that no variable holds.
#include "tests/e2e/queue/queue_hub.h"

namespace tunehub::test {
namespace {

using testing::HasSubstr;

using BadNumberTest = QueueHubTest;

constexpr const char* kRow =
    R"({"gfx":"gfx942","cu_num":80,"M":1,"N":2,"K":3,"kernelId":1,"splitK":0,"us":)";

// Each body has one number out of range, whose place the answer must name.
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

}  // namespace
}  // namespace tunehub::test
