// tunehub-agent import: which files travel, and what the receipt says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/commands/hub/command_import.h"
#include "core/system/gzip.h"
#include "core/system/tar.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

using testing::HasSubstr;

class AgentImport : public testing::Test {
 protected:
  AgentImport() {
    options_.folder = folder_.path();
    options_.retry.tries = 2;
    folder_.Write("configs/a8w8_blockscale_tuned_gemm.csv", "one");
    folder_.Write("configs/a8w8_blockscale_untuned_gemm.csv", "not this");
    folder_.Write("configs/asm_a8w8_gemm.csv", "nor this");
    folder_.Write("configs/model_configs/x_tuned_fmoe.csv", "two");
  }
  // By a hub that does not have it.
  int Run() {
    hub_.answers.push_front({404, {}, R"({"code":"unknown_content"})"});
    return Ask();
  }
  int Ask() {
    return Import(configuration_.families, options_, hub_, pauses_.pauses, console_.console);
  }

  test::TempFolder folder_;
  test::FakeHub hub_;
  test::RecordedPauses pauses_;
  test::RecordingConsole console_;
  const Configuration configuration_ = test::RealConfiguration();
  ImportOptions options_;
  const std::string unread_ =
      (folder_ / "configs/asm_a8w8_gemm.csv") + ": not read: its name is no tuned table's\n";
};

TEST_F(AgentImport, SendsTheTunedTablesUnderOneKeyHoweverOftenItTakes) {
  options_.source = "aiter main";
  hub_.answers = {{0, {}, ""}, {200, {}, R"({"rows":3,"accepted":3,"won":2,"revision":4,"files":[
      {"file":"a.csv","family":"a8w8_blockscale","status":"imported","rows":3,"accepted":3}]})"}};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  ASSERT_EQ(hub_.requests.size(), 3u);
  hub_.requests.erase(hub_.requests.begin());
  EXPECT_THAT(hub_.requests[0].target, testing::StartsWith("/import?source=aiter%20main&content="));
  EXPECT_EQ(test::HeaderOf(hub_.requests[0], "Content-Type"), "application/gzip");
  EXPECT_EQ(test::HeaderOf(hub_.requests[0], "Idempotency-Key"),
            test::HeaderOf(hub_.requests[1], "Idempotency-Key"));
  const auto entries = core::ReadTar(hub_.requests[0].body, {.bytes = 1u << 20, .files = 10});
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 2u);
  // Nothing behind the gzip member: its trailer says the size of the tar.
  const auto whole = core::Gunzip(hub_.requests[0].body, 1u << 20);
  EXPECT_TRUE(whole.ok());
  EXPECT_EQ((*entries)[0].name, "aiter/configs/a8w8_blockscale_tuned_gemm.csv");
  EXPECT_EQ((*entries)[0].bytes, "one");
  EXPECT_EQ((*entries)[1].name, "aiter/configs/model_configs/x_tuned_fmoe.csv");
  EXPECT_EQ(console_.out.str(),
            unread_ +
                "a.csv -> a8w8_blockscale: 3 rows, 3 accepted\n"
                "source aiter main: 1 files, 3 rows, 3 accepted, 2 won, revision 4\n");
}

// The hub goes by the name, which says there that it lies beside other models' tables.
TEST_F(AgentImport, AFolderOfModelTablesTravelsAsModelTables) {
  folder_.Write("flat/new_a8w8_blockscale_tuned_gemm.csv", "one");
  const auto foreign = folder_.Write("flat/new_wide_tuned_gemm.csv", "two");
  options_.folder = folder_ / "flat";
  hub_.answers = {{200, {}, R"({"files":[]})"}};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  const auto entries = core::ReadTar(hub_.requests.at(1).body, {.bytes = 1u << 20, .files = 10});
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ((*entries)[0].name, "aiter/configs/model_configs/new_a8w8_blockscale_tuned_gemm.csv");
  EXPECT_THAT(console_.out.str(), HasSubstr(foreign + ": not read: its name is that of a tuned"));
}

TEST_F(AgentImport, ARefusedFileIsAFindingAndIsNamed) {
  hub_.answers = {{200, {}, R"({"rows":0,"revision":4,"files":[{"file":"a.csv","status":"refused",
      "code":"csv_nul","detail":"line 3: a NUL byte"}]})"}};
  EXPECT_EQ(Run(), kFinding);
  EXPECT_THAT(console_.out.str(), HasSubstr("a.csv: refused csv_nul: line 3: a NUL byte\n"));
}

TEST_F(AgentImport, SaysWhyTheHubDidNotTakeIt) {
  hub_.answers = {{403, {}, R"({"code":"wrong_scope","detail":"the key may only read"})"}};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("403 wrong_scope: the key may only read"));
}

TEST_F(AgentImport, A200WithoutAReceiptIsNoSuccess) {
  hub_.answers = {{200, {}, "<html>log in</html>"}};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("without a receipt"));
}

TEST_F(AgentImport, TheSameTreeGivesTheSameBytes) {
  const Answer receipt{200, {}, R"({"files":[]})"};
  hub_.answers = {receipt, receipt};
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(Run(), kGood);
  ASSERT_EQ(hub_.requests.size(), 4u);
  EXPECT_EQ(hub_.requests[1].body, hub_.requests[3].body);
  EXPECT_EQ(hub_.requests[0].target, hub_.requests[2].target);
}

TEST_F(AgentImport, WhatTheHubHasIsNotSent) {
  hub_.answers = {{200, {}, R"({"rows":3,"accepted":3,"unchanged":3,"files":[
      {"file":"a.csv","family":"a8w8_blockscale","status":"imported","rows":3,"accepted":3}]})"}};
  EXPECT_EQ(Ask(), kGood) << console_.err.str();
  ASSERT_EQ(hub_.requests.size(), 1u);
  EXPECT_EQ(hub_.requests[0].body, "");
  const std::string asked = "/import/again?source=aiter&content=";
  EXPECT_EQ(hub_.requests[0].target.substr(0, asked.size()), asked);
  EXPECT_EQ(hub_.requests[0].target.size(), asked.size() + 64);
  EXPECT_EQ(console_.out.str(), unread_ +
                                    "a.csv -> a8w8_blockscale: 3 rows, 3 accepted\n"
                                    "source aiter: 1 files, 3 rows, 3 accepted, 3 unchanged\n");
}

TEST_F(AgentImport, AHubThatKeepsDigestsIsToldThisOne) {
  hub_.answers = {{404, {}, R"({"code":"unknown_content"})"}, {200, {}, R"({"files":[]})"}};
  EXPECT_EQ(Ask(), kGood) << console_.err.str();
  ASSERT_EQ(hub_.requests.size(), 2u);
  const std::string& asked = hub_.requests[0].target;
  EXPECT_EQ(hub_.requests[1].target, "/import" + asked.substr(asked.find('?')));
  EXPECT_NE(test::HeaderOf(hub_.requests[0], "Idempotency-Key"),
            test::HeaderOf(hub_.requests[1], "Idempotency-Key"));
}

TEST_F(AgentImport, AnotherByteOrAnotherNameIsAnotherContent) {
  const Answer known{200, {}, R"({"files":[]})"};
  hub_.answers = {known, known, known, known};
  EXPECT_EQ(Ask(), kGood);
  folder_.Write("configs/a8w8_blockscale_untuned_gemm.csv", "never read");
  EXPECT_EQ(Ask(), kGood);
  folder_.Write("configs/a8w8_blockscale_tuned_gemm.csv", "two");
  EXPECT_EQ(Ask(), kGood);
  folder_.Write("configs/a8w8_blockscale_tuned_gemm.csv", "one");
  std::filesystem::rename(folder_ / "configs/model_configs/x_tuned_fmoe.csv",
                          folder_ / "configs/model_configs/y_tuned_fmoe.csv");
  EXPECT_EQ(Ask(), kGood);
  ASSERT_EQ(hub_.requests.size(), 4u);
  EXPECT_EQ(hub_.requests[0].target, hub_.requests[1].target);
  EXPECT_NE(hub_.requests[0].target, hub_.requests[2].target);
  EXPECT_NE(hub_.requests[0].target, hub_.requests[3].target);
}

TEST_F(AgentImport, AKeyThatMayNotImportIsNotAskedTwice) {
  hub_.answers = {{403, {}, R"({"code":"wrong_scope","detail":"the key may only read"})"}};
  EXPECT_EQ(Ask(), kFailed);
  EXPECT_EQ(hub_.requests.size(), 1u);
}

}  // namespace
}  // namespace tunehub::agent
