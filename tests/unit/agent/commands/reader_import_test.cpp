// tunehub-agent import --reader: what is sent, and what is said of it.
#include "agent/commands/hub/reader_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/system/tar.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

using testing::HasSubstr;

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
  EXPECT_THAT(ran.out, HasSubstr("1 files and 0 members kept aside"));
  EXPECT_EQ(hub_.requests.size(), 1u);
}

}  // namespace
}  // namespace tunehub::agent
