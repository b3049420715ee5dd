// explain, capture and contribute at a hub that is silent, that goes in the middle, or that does
// not take the key: what they say is what to do.
#include "core/base/sha256.h"
#include "core/system/tar.h"
#include "tests/e2e/agent/live_hub.h"
#include "tests/support/hostile_names.h"
#include "tests/support/socket_hub.h"

namespace tunehub::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// What a hub says to one request, ready to be said by another.
ScriptedAnswer Said(const RawAnswer& answer) {
  return SocketHub::Closing("200 OK", answer.body);
}

// The commands that ask a hub, on what is missed and on a tree; each as `command HUB`.
class BrokenHubTest : public LiveHubTest {
 protected:
  std::vector<std::vector<std::string>> Commands() const {
    const std::string log = Log(VllmMiss(kMi300) + AiterMiss(16));
    return {{"explain", log, "--gfx", "gfx942"},
            {"capture", log, "--gfx", "gfx942", "--cu-num", "304"},
            {"contribute", AiterTree(), "--model", "glm6", "--in-place"},
            {"contribute", VllmTree(), "--model", "mixtral", "--family", "triton_fused_moe",
             "--in-place"}};
  }
  static Finished At(const std::string& hub, std::vector<std::string> command,
                     const std::string& key = "") {
    command.insert(command.end(), {"--hub", hub, "--tries", "1", "--request-timeout", "1"});
    return Run(std::move(command), key);
  }
};

TEST_F(BrokenHubTest, a_hub_that_says_nothing_is_given_up_and_named) {
  for (const auto& command : Commands()) {
    SocketHub silent({{"", ScriptedAnswer::Then::kSilent}});
    const std::string url = "http://" + silent.origin();
    const Finished ran = At(url, command);
    EXPECT_EQ(ran.status, 2) << command[0] << ran.out;
    EXPECT_THAT(ran.err, HasSubstr(silent.origin())) << command[0];
    EXPECT_THAT(ran.err, HasSubstr("hub_unreachable")) << command[0];
  }
  const Finished explained = At("http://127.0.0.1:1", Commands().front());
  EXPECT_THAT(explained.out, HasSubstr("vllm: 1 file looked for and not found\n"));
  EXPECT_THAT(explained.out, HasSubstr("Again once that is mended:"));
  EXPECT_THAT(explained.out, Not(HasSubstr("tunehub-agent capture")));
}

TEST_F(BrokenHubTest, a_hub_that_goes_in_the_middle_leaves_nothing_half_done) {
  const std::string moe = "/tuned/triton_fused_moe?E=8&N=2048&dtype=fp8_w8a8&allow_empty=1";
  SocketHub explained({Said(Open().Get(moe))});
  const Finished first = At("http://" + explained.origin(), Commands()[0]);
  EXPECT_EQ(first.status, 2);
  EXPECT_THAT(first.out, HasSubstr("Again once that is mended:"));
  EXPECT_THAT(first.out, Not(HasSubstr("rows for"))) << "which nobody knows of all of them";
  EXPECT_EQ(explained.Requests().size(), 1U);

  SocketHub captured({SocketHub::Closing("200 OK", R"({"count": 1, "new": 1, "rejected": []})")});
  const Finished second = At("http://" + captured.origin(), Commands()[1]);
  EXPECT_EQ(second.status, 2);
  EXPECT_THAT(second.err, HasSubstr("1 shapes posted"));

  SocketHub given({Said(Open().Get("/tuned/triton_fused_moe?provider=vllm&measured=tuned"))});
  const Finished third = At("http://" + given.origin(), Commands()[3]);
  EXPECT_EQ(third.status, 2);
  EXPECT_FALSE(std::filesystem::exists(
      Path("vllm/vllm/model_executor/layers/fused_moe/configs/" + FileName(kMi300))));
}

TEST_F(BrokenHubTest, a_wrong_key_is_told_with_where_keys_come_from) {
  ServerProcess keyed({.database = NewDatabase(), .environment = {{"TUNEHUB_READS", "key"}}});
  for (const std::string key : {"", "thub_0123456789"}) {
    for (const auto& command : Commands()) {
      const Finished ran = At(keyed.url(), command, key);
      EXPECT_EQ(ran.status, 2) << command[0];
      EXPECT_THAT(ran.err, HasSubstr("401")) << command[0];
      EXPECT_THAT(ran.err, HasSubstr("TUNEHUB_KEY")) << command[0] << " '" << key << "'";
    }
  }
  // Of another scope than the one that is needed.
  const Finished reader = At(keyed.url(), Commands()[1], keyed.NewKey("read"));
  EXPECT_EQ(reader.status, 2);
  EXPECT_THAT(reader.err, HasSubstr("submit"));
}

// The tree of a lying hub: all its sums are right.
std::string TreeWith(const std::string& name, const std::string& bytes) {
  const std::string path = "vllm/" + name;
  return core::WriteTarGz(
      {{path, bytes},
       {"SHA256SUMS", core::Sha256Hex(bytes) + "  " + path + "\n"},
       {"tree.json", R"({"format": "tunehub-tree", "version": 1, "reader": "vllm", "value": "",
         "family": "triton_fused_moe", "variable": "VLLM_TUNED_CONFIG_FOLDER",
         "packages": ["vllm/configs"]})"}});
}

TEST_F(BrokenHubTest, no_file_of_a_lying_hub_is_written_outside_the_folder) {
  const std::string victim = Write("victim", "old");
  std::vector<std::string> names = HostileFileNames();
  names.insert(names.end(), {"/" + victim, victim, "../victim", "a/../../victim"});
  std::deque<ScriptedAnswer> answers;
  for (const std::string& name : names) {
    answers.push_back(
        SocketHub::Closing("200 OK\r\nContent-Type: application/gzip", TreeWith(name, "new")));
  }
  answers.push_back(
      SocketHub::Closing("200 OK\r\nContent-Type: application/gzip", TreeWith("a/b.json", "{}")));
  SocketHub lying(std::move(answers));
  const std::vector<std::string> pull = {"pull", "--reader", "vllm", "-o", Path("folder")};
  for (const std::string& name : names) {
    const Finished ran = At("http://" + lying.origin(), pull);
    EXPECT_EQ(ran.status, 2) << name << ran.out;
    EXPECT_THAT(ran.err, HasSubstr("bad_archive")) << name;
    EXPECT_FALSE(std::filesystem::exists(Path("folder"))) << name;
  }
  const Finished honest = At("http://" + lying.origin(), pull);
  EXPECT_EQ(honest.status, 0) << honest.err;
  EXPECT_EQ(ReadText(Path("folder/a/b.json")), "{}");
  EXPECT_EQ(ReadText(victim), "old");
}

}  // namespace
}  // namespace tunehub::test
