// JSON that nests deeper than a copy's stack, from a hub, from what stands between, from a page
// host and from a file: it is no JSON, and nobody ends by it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/commands/hub/import_request.h"
#include "agent/commands/hub/reader_import.h"
#include "agent/hub/export_index.h"
#include "agent/hub/lock_file.h"
#include "agent/hub/problem.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

using testing::HasSubstr;

constexpr int kDeep = 100000;
const std::string kNest = std::string(kDeep, '[') + std::string(kDeep, ']');
const std::string kProblemBody = R"({"code":"no_rows","status":)" + kNest + "}";

Answer AsProblem(std::string body) {
  return {404, {{"content-type", "application/problem+json"}}, std::move(body)};
}

TEST(DeepJson, IsNobodysProblem) {
  const HubProblem problem = ProblemOf(AsProblem(kProblemBody));
  EXPECT_EQ(problem.code, "http_404");
  EXPECT_FALSE(problem.of_hub);
  EXPECT_TRUE(ProblemOf(AsProblem(R"({"code":"no_rows","status":404})")).of_hub);
  EXPECT_TRUE(ProblemOf(AsProblem(R"({"code":"no_rows"})")).of_hub);
  EXPECT_FALSE(ProblemOf(AsProblem(R"({"code":"no_rows","status":[[404]]})")).of_hub);
}

TEST(DeepJson, IsNoIndexOfAnExport) {
  const std::string begin = R"({"format":"tunehub-static-export","version":1,"revision":7,)";
  for (const std::string& index :
       {"{\"format\":" + kNest + "}",
        begin + "\"created\":\"\",\"revisions\":[7],\"pins\":" + kNest + "}"}) {
    const auto parsed = ParseExportIndex(index);
    ASSERT_TRUE(parsed.ok());
    EXPECT_FALSE(parsed->has_value());
  }
}

TEST(DeepJson, IsNoLockFile) {
  const TempFolder folder;
  const auto lock = LockFile::Load(folder.Write("lock", "{\"tables\":" + kNest + "}"));
  ASSERT_FALSE(lock.ok());
  EXPECT_THAT(lock.error().detail, HasSubstr("brackets stand within each other"));
}

TEST(DeepJson, IsNoReceiptOfAnImport) {
  const TempFolder folder;
  folder.Write("E=5,N=64,device_name=Toy.json", R"({"1": {"x": 1}})");
  FakeHub hub;
  RecordedPauses pauses;
  ImportOptions options;
  options.folder = folder.path();
  options.reader = "vllm";
  options.retry.tries = 1;
  for (const char* member : {"report", "more"}) {
    hub.answers = {
        {200, {}, R"({"rows":1,"files":[],")" + std::string(member) + "\":" + kNest + "}"}};
    RecordingConsole console;
    EXPECT_EQ(ImportReader(RealConfiguration(), options, &hub, pauses.pauses, console.console),
              kFailed);
    EXPECT_THAT(console.err.str(), HasSubstr("without a receipt"));
  }
}

}  // namespace
}  // namespace tunehub::agent::test
