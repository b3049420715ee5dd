// tunehub-agent import: the files that it sends, and the parts of the receipt that it prints.
#include <gmock/gmock.h>

#include "agent/transfer/commands.h"
#include "core/base/archive.h"
#include "tests/support/archive.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

class AgentImport : public CommandTest {
 protected:
  AgentImport() {
    options_.folder = folder_.path();
    options_.retry.tries = 2;
    folder_.Write("configs/a8w8_blockscale_tuned_gemm.csv", "one");
    folder_.Write("configs/a8w8_blockscale_untuned_gemm.csv", "not this");
    folder_.Write("configs/frob_tuned_gemm.csv", "carried");
    folder_.Write("configs/frob_untuned_gemm.csv", "its key");
    folder_.Write("configs/model_configs/deep/frob_tuned_gemm.csv", "nor this");
    folder_.Write("configs/model_configs/x_tuned_fmoe.csv", "two");
  }
  int Run() {
    return Import(configuration_.families, options_, hub_, pauses_.pauses, console_.console);
  }

  ImportOptions options_;
  const std::string unread_ =
      (folder_ / "configs/model_configs/deep/frob_tuned_gemm.csv") +
      ": not read: its name is a tuned table's name, but the family is unknown\n";
};

TEST_F(AgentImport, sends_the_tuned_tables_under_one_key_however_often_it_takes) {
  options_.source = "aiter main";
  hub_.answers = {{0, {}, ""}, {200, {}, R"({"rows":3,"accepted":3,"won":2,"revision":4,"files":[
      {"file":"a.csv","family":"a8w8_blockscale","status":"imported","rows":3,"accepted":3}]})"}};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  ASSERT_EQ(hub_.requests.size(), 2u);
  EXPECT_EQ(hub_.requests[0].target, "/import?source=aiter%20main");
  EXPECT_EQ(HeaderOf(hub_.requests[0], "Content-Type"), "application/gzip");
  EXPECT_EQ(HeaderOf(hub_.requests[0], "Idempotency-Key"),
            HeaderOf(hub_.requests[1], "Idempotency-Key"));
  const auto entries = Must(core::ReadTar(hub_.requests[0].body, {.bytes = 1u << 20, .files = 10}));
  ASSERT_EQ(entries.size(), 4u);
  // Gunzip needs the gzip member to end here, because the trailer states the tar's size.
  const auto whole = core::Gunzip(hub_.requests[0].body, 1u << 20);
  EXPECT_TRUE(whole.ok());
  EXPECT_EQ(entries[0].name, "aiter/configs/a8w8_blockscale_tuned_gemm.csv");
  EXPECT_EQ(entries[0].bytes, "one");
  EXPECT_EQ(entries[1].name, "aiter/configs/frob_tuned_gemm.csv");
  EXPECT_EQ(entries[2].name, "aiter/configs/frob_untuned_gemm.csv");
  EXPECT_EQ(entries[3].name, "aiter/configs/model_configs/x_tuned_fmoe.csv");
  EXPECT_EQ(console_.out.str(),
            unread_ +
                "a.csv -> a8w8_blockscale: 3 rows, 3 accepted\n"
                "source aiter main: 1 files, 3 rows, 3 accepted, 2 won, revision 4\n");
}

TEST(AgentDryRun, an_import_and_a_push_report_and_send_nothing) {
  const TempFolder folder;
  const std::string table =
      folder.Write("configs/a8w8_blockscale_tuned_gemm.csv",
                   kBlockscaleHeader + BlockscaleRow(16, "4.25") + BlockscaleRow(32, "0"));
  const std::vector<std::string> import = {"import", folder.path().string(), "--dry-run", "--hub",
                                           "http://127.0.0.1:1"};
  const Ran imported = RunCommand(RunImport, import);
  EXPECT_EQ(imported.code, kGood) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("a8w8_blockscale: 1 files, 2 rows"));
  EXPECT_THAT(imported.out, HasSubstr("nothing was sent\n"));
  const Ran pushed = RunCommand(RunPush, {"push", table, "--spool", folder / "spool", "--dry-run",
                                          "--hub", "http://127.0.0.1:1"});
  EXPECT_EQ(pushed.code, kGood) << pushed.err;
  EXPECT_THAT(pushed.out, HasSubstr("nothing was sent\n"));
  EXPECT_FALSE(std::filesystem::exists(folder / "spool"));
  folder.Write("configs/a8w8_blockscale_tuned_gemm.csv",
               kBlockscaleHeader + BlockscaleRow(16, "fast"));
  EXPECT_EQ(RunCommand(RunImport, import).code, kFinding);
}

// The hub uses the names of entries. Names in model_configs/ mean tables of models.
TEST_F(AgentImport, a_folder_of_model_tables_travels_as_model_tables) {
  folder_.Write("flat/new_a8w8_blockscale_tuned_gemm.csv", "one");
  folder_.Write("flat/new_wide_tuned_gemm.csv", "two");
  options_.folder = folder_ / "flat";
  hub_.answers = {{200, {}, R"({"files":[]})"}};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  const auto entries =
      Must(core::ReadTar(hub_.requests.at(0).body, {.bytes = 1u << 20, .files = 10}));
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].name, "aiter/configs/model_configs/new_a8w8_blockscale_tuned_gemm.csv");
  EXPECT_EQ(entries[1].name, "aiter/configs/new_wide_tuned_gemm.csv");
}

TEST_F(AgentImport, a_refused_file_is_a_finding_and_is_named) {
  hub_.answers = {{200, {}, R"({"rows":0,"revision":4,"files":[{"file":"a.csv","status":"refused",
      "code":"csv_nul","detail":"line 3: a NUL byte"}]})"}};
  EXPECT_EQ(Run(), kFinding);
  EXPECT_THAT(console_.out.str(), HasSubstr("a.csv: refused csv_nul: line 3: a NUL byte\n"));
}

TEST_F(AgentImport, says_why_the_hub_did_not_take_it) {
  hub_.answers = {{403, {}, R"({"code":"wrong_scope","detail":"the key may only read"})"}};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_EQ(hub_.requests.size(), 1u);
  EXPECT_THAT(console_.err.str(), HasSubstr("403 wrong_scope: the key may only read"));
}

TEST_F(AgentImport, a_200_without_a_receipt_is_no_success) {
  hub_.answers = {{200, {}, "<html>log in</html>"}};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("without a receipt"));
}

const Answer kTaken{200, {}, R"({"rows":1,"accepted":1,"files":[]})"};

class AgentReaderImport : public CommandTest {
 protected:
  AgentReaderImport() {
    options_.folder = folder_.path();
    options_.reader = "vllm";
    options_.retry.tries = 1;
    folder_.Write("E=5,N=64,device_name=Toy.json", R"({"1": {"x": 1}})");
    folder_.Write("E=5,N=65,device_name=Toy.json", R"({"1": {"x": 1}, "any": {"x": 2}})");
  }
  Ran Run() {
    RecordingConsole console;
    return console.Ended(
        ImportReader(configuration_, options_, &hub_, pauses_.pauses, console.console));
  }
  // Returns the bytes of that entry in the last archive.
  std::string Sent(const std::string& name) const {
    return tunehub::test::Unpacked(hub_.requests.back().body).at(name);
  }

  ImportOptions options_;
};

TEST_F(AgentReaderImport, the_tables_are_sent_and_the_findings_said) {
  options_.all = true;
  hub_.answers = {kTaken};
  const auto ran = Run();
  EXPECT_EQ(ran.code, kFinding) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("E=5,N=65,device_name=Toy.json"));
  EXPECT_EQ(hub_.requests.back().target, "/import?source=vllm");
  EXPECT_THAT(Sent("triton_fused_moe.csv"), HasSubstr("Toy"));
}

TEST_F(AgentReaderImport, what_is_said_of_the_run_travels) {
  hub_.answers = {kTaken};
  options_.new_run = {"host=a", "note=first"};
  Run();
  EXPECT_THAT(Sent("run.json"), HasSubstr("\"note\":\"first\""));
  options_.new_run = {"colour=red"};
  EXPECT_THAT(Run().err, HasSubstr("colour=red"));
  EXPECT_EQ(hub_.requests.size(), 1u);
}

TEST_F(AgentReaderImport, what_was_read_is_said_also_where_no_hub_answers) {
  const auto ran = Run();
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_THAT(ran.out, HasSubstr("1 files and 0 members left out"));
  EXPECT_EQ(hub_.requests.size(), 1u);
}

}  // namespace
}  // namespace tunehub::agent::test
