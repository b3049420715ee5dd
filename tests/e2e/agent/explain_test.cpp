// From a log of misses to what can be done about them, with the real agent and the real server.

#include "tests/e2e/hub_fixture.h"
#include "tests/support/gzip.h"
#include "tests/support/miss_line.h"
#include "tests/support/shipped.h"

namespace tunehub::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// Of the shapes of hub_fixture.h's Row.
std::string Missed(int m, int n = 2048) {
  return MissLine(m, n, 3072);
}

class ExplainTest : public HubTest {
 protected:
  static Finished Explain(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "explain");
    return RunToEnd({AgentBinary(), arguments});
  }
  // What `bench --before` and `tune` of M=16 and 32 send: the default's time, and a faster one.
  static void SendRows() {
    for (const auto& [m, us, is_default] :
         {std::tuple(16, 40.0, true), std::tuple(16, 10.0, false), std::tuple(64, 40.0, true)}) {
      nlohmann::json row = {{"gfx", "gfx942"}, {"cu_num", 304},
                            {"M", m},          {"N", 2048},
                            {"K", 3072},       {"libtype", "ck"},
                            {"kernelId", 1},   {"splitK", 0},
                            {"us", us},        {"kernelName", kKernel + (is_default ? "0" : "")}};
      if (is_default) row["is_default"] = true;
      const auto sent = Submitter().Post(kResults, nlohmann::json{{"rows", {row}}}.dump(),
                                         {{"Content-Type", "application/json"}});
      ASSERT_EQ(sent.status, 200) << sent.body;
    }
  }
};

TEST_F(ExplainTest, the_hub_says_which_rows_there_are) {
  SendRows();
  const std::string log = Write("vllm.log.gz", Gzip(Missed(7) + Missed(7) + "noise\n" + Missed(64) +
                                                    Missed(500) + Missed(1, 640)));
  const Finished ran = Explain({log, "--gfx", "gfx942", "--hub", server_->url()});
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Looked in: " + server_->url() + "\n"));
  EXPECT_THAT(ran.out,
              HasSubstr("a8w8_blockscale: 4 shapes, missed 5 times; 1 with a tuned row, 3 without\n"
                        "  missed  shapes  tuned  M             of\n"
                        "       4       3      1  7-500         N=2048 K=3072\n"
                        "       1       1      0  1             N=640 K=3072\n"));
  EXPECT_THAT(ran.out, HasSubstr("  1 shape has the row of the untuned kernel alone (baseline)\n"));
  EXPECT_THAT(ran.out, HasSubstr("  tunehub-agent pull --hub " + server_->url()));
  EXPECT_THAT(ran.out, HasSubstr("  tunehub-agent capture " + log));
  const Finished other = Explain({log, "--gfx", "gfx950", "--hub", server_->url()});
  EXPECT_THAT(other.out, HasSubstr("the log is of MI350X / MI355X (gfx950:256), but all rows"));
  EXPECT_THAT(Explain({log, "--hub", server_->url(), "--tables", "x.csv"}).err,
              HasSubstr("not with both"));
}

TEST_F(ExplainTest, the_steps_it_names_do_what_they_say) {
  SendRows();
  const std::string log = Write("vllm.log", Missed(7) + Missed(500));
  const Finished ran = Explain({log, "--gfx", "gfx942", "--hub", server_->url(), "--json"});
  const auto report = nlohmann::json::parse(ran.out);
  std::string script = "set -e; cd " + dir_.path().string() + "; tunehub-agent() { " +
                       AgentBinary() + " \"$@\"; }\n";
  for (const auto& step : report["next"]) {
    for (const auto& line : step["commands"]) script += line.get<std::string>() + "\n";
  }
  script += "head -2 \"$AITER_CONFIG_GEMM_A8W8_BLOCKSCALE\"";
  const Finished stepped = RunToEnd({"/bin/bash", {"-c", script}, {{"TUNEHUB_KEY", submit_key_}}});
  ASSERT_EQ(stepped.status, 0) << stepped.err << script;
  EXPECT_THAT(stepped.out, HasSubstr("gfx942,304,16,2048,3072,"));
  EXPECT_THAT(Open().Get("/untuned/a8w8_blockscale?gfx=gfx942&cu_num=304").body,
              HasSubstr("512,2048,3072"));
}

TEST_F(ExplainTest, aiters_own_tables_answer_a_pipe) {
  const auto files = RealTunedFiles();
  if (files.empty()) GTEST_SKIP() << NoRealTables();
  const std::string log = Write("vllm.log", Missed(7) + Missed(7, 1281));
  const std::string script = "cat " + log + " | " + AgentBinary() +
                             " explain - --gfx gfx942 --tables " +
                             files.front().parent_path().string();
  const Finished ran = RunToEnd({"/bin/sh", {"-c", script}});
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("standard input: 2 lines, 2 of them misses"));
  EXPECT_THAT(ran.out, HasSubstr("2 shapes, missed 2 times; "));
  EXPECT_THAT(ran.out, Not(HasSubstr("no rows of this family")));
}

}  // namespace
}  // namespace tunehub::test
