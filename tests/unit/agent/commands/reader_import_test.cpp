// tunehub-agent import --reader: what the hub is asked before anything is parsed, and what it may
// answer.
#include "agent/commands/hub/reader_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/system/tar.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

using testing::HasSubstr;

const Answer kNotKnown{404, {}, R"({"code":"unknown_content"})"};
const Answer kTaken{200, {}, R"({"rows":1,"accepted":1,"files":[]})"};

class AgentReaderImport : public testing::Test {
 protected:
  AgentReaderImport() {
    options_.folder = folder_.path();
    options_.reader = "vllm";
    options_.retry.tries = 1;
    folder_.Write("E=5,N=64,device_name=Toy.json", R"({"1": {"x": 1}})");
    folder_.Write("E=5,N=65,device_name=Toy.json", R"({"1": {"x": 1}, "any": {"x": 2}})");
  }
  test::Ran Run() {
    test::RecordingConsole console;
    return console.Ended(
        ImportReader(configuration_, options_, &hub_, pauses_.pauses, console.console));
  }
  // The entry of the archive that was sent last.
  std::string Sent(const std::string& name) const {
    const auto files = core::ReadTar(hub_.requests.back().body, {.bytes = 1u << 20, .files = 10});
    if (!files.ok()) return files.error().detail;
    for (const core::TarFile& file : *files) {
      if (file.name == name) return file.bytes;
    }
    return "";
  }

  test::TempFolder folder_;
  test::FakeHub hub_;
  test::RecordedPauses pauses_;
  const Configuration configuration_ = test::RealConfiguration();
  ImportOptions options_;
};

TEST_F(AgentReaderImport, what_the_hub_has_is_said_as_it_was_the_first_time) {
  options_.all = true;
  hub_.answers = {kNotKnown, kTaken};
  const auto first = Run();
  EXPECT_EQ(first.code, kFinding) << first.err;
  EXPECT_THAT(first.out, HasSubstr("E=5,N=65,device_name=Toy.json"));
  const std::string report = Sent("report.json");
  hub_.requests.clear();
  hub_.answers = {{200, {}, R"({"rows":1,"accepted":1,"files":[],"report":)" + report + "}"}};
  const auto again = Run();
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(again.code, first.code);
  ASSERT_EQ(hub_.requests.size(), 1u);
  EXPECT_EQ(hub_.requests[0].body, "");
  hub_.answers = {{200, {}, R"({"rows":1,"accepted":1,"files":[],"report":)" + report + "}"}};
  options_.json = true;
  EXPECT_THAT(Run().out, HasSubstr("\"files_aside\": 1"));
}

TEST_F(AgentReaderImport, what_is_said_of_the_run_travels_and_is_no_part_of_the_digest) {
  hub_.answers = {kNotKnown, kTaken, kNotKnown, kTaken};
  options_.new_run = {"host=a", "note=first"};
  Run();
  EXPECT_THAT(hub_.requests[0].body, HasSubstr("\"note\":\"first\""));
  EXPECT_EQ(Sent("run.json"), hub_.requests[0].body);
  options_.new_run = {"host=a", "note=second"};
  Run();
  EXPECT_EQ(hub_.requests[2].target, hub_.requests[0].target);
  EXPECT_NE(hub_.requests[2].body, hub_.requests[0].body);
  options_.new_run = {"colour=red"};
  EXPECT_THAT(Run().err, HasSubstr("colour=red"));
  EXPECT_EQ(hub_.requests.size(), 4u);
}

TEST_F(AgentReaderImport, all_that_the_rows_follow_from_is_in_the_digest) {
  std::set<std::string> targets;
  const auto ask = [&] {
    hub_.answers = {kNotKnown, kTaken};
    Run();
    targets.insert(hub_.requests[hub_.requests.size() - 2].target);
    return targets.size();
  };
  EXPECT_EQ(ask(), 1u);
  EXPECT_EQ(ask(), 1u);
  options_.all = options_.json = true;  // how it is told
  EXPECT_EQ(ask(), 1u);
  options_.device = "Toy";
  EXPECT_EQ(ask(), 2u);
  folder_.Write("sub/E=5,N=64,device_name=Toy.json", R"({"1": {"x": 1}})");
  EXPECT_EQ(ask(), 3u);
  folder_.Write("sub/E=5,N=64,device_name=Toy.json", R"({"1": {"x": 2}})");
  EXPECT_EQ(ask(), 4u);
  std::filesystem::resize_file(folder_ / "sub/E=5,N=64,device_name=Toy.json", (4u << 20) + 1);
  EXPECT_EQ(ask(), 5u);
  options_.source = "sglang";  // of the address
  options_.reader = "sglang";
  EXPECT_EQ(ask(), 6u);
}

TEST_F(AgentReaderImport, a_report_that_is_none_is_no_success) {
  for (const char* report : {R"({"files":[]})", R"({"files":[],"report":{"reader":"vllm"}})",
                             R"({"files":[],"report":{"reader":"vllm","tables":[
                                {"family":"x","files":1,"rows":1}],"unread":{},"findings":[]}})"}) {
    hub_.answers = {{200, {}, report}};
    const auto ran = Run();
    EXPECT_EQ(ran.code, kFailed) << report;
    EXPECT_THAT(ran.err, HasSubstr("the hub's report: "));
  }
}

TEST_F(AgentReaderImport, what_was_read_is_said_also_where_no_hub_answers) {
  const auto ran = Run();
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_THAT(ran.out, HasSubstr("1 files and 0 members kept aside"));
  EXPECT_EQ(hub_.requests.size(), 1u);
}

}  // namespace
}  // namespace tunehub::agent
