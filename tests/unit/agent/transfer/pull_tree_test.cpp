// tunehub-agent pull --reader replaces the folder as a whole and keeps files that are not its own.
#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/support/hostile_names.h"
#include "tests/unit/agent/transfer/pull_support.h"
#include "tests/unit/agent/tree_support.h"

namespace tunehub::agent::test {
namespace {

namespace fs = std::filesystem;

const std::string kOne = R"({"1": {"w": 1}})", kTwo = R"({"1": {"w": 2}})";

class AgentPullTree : public PullTest {
 protected:
  AgentPullTree() {
    options_.reader = "vllm";
    options_.device = "MI300X";
    options_.output = folder_ / "configs";
    configuration_ = ShortReaderConfiguration();
  }
  std::string Read(const std::string& name) const {
    return ReadText(fs::path(options_.output) / name);
  }
  bool Has(const std::string& name) const { return fs::exists(fs::path(options_.output) / name); }
  std::string Before(const std::string& name) const {
    return ReadText(folder_ / (".configs.before/" + name));
  }
};

TEST_F(AgentPullTree, writes_the_files_and_says_what_to_set) {
  hub_.answers = {TreeOf({{"E=8.json", kOne}, {"triton_3_4_0/E=9.json", kTwo}})};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(hub_.requests[0].target, "/tree/vllm?device=MI300X");
  EXPECT_EQ(Read("E=8.json"), kOne);
  EXPECT_EQ(Read("triton_3_4_0/E=9.json"), kTwo);
  EXPECT_EQ(console_.out.str(), options_.output +
                                    ": 2 files of vllm (triton_fused_moe), revision 7\n"
                                    "export VLLM_TUNED_CONFIG_FOLDER=" +
                                    fs::canonical(options_.output).string() + "\n");
}

TEST_F(AgentPullTree, what_the_new_tree_lacks_is_gone) {
  hub_.answers = {TreeOf({{"E=1.json", kOne}, {"E=2.json", kOne}}),
                  TreeOf({{"E=2.json", kTwo}}, "\"f\"")};
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_FALSE(Has("E=1.json"));
  EXPECT_EQ(Read("E=2.json"), kTwo);
}

TEST_F(AgentPullTree, nothing_is_touched_where_nothing_changed) {
  hub_.answers = {TreeOf({{"E=1.json", kOne}}, "\"abc\""),
                  {304, {{"tunehub-pin", "9-" + kTreeToken}}, ""}};
  EXPECT_EQ(Run(), kGood);
  struct stat first {
  }, second{};
  ASSERT_EQ(::stat(options_.output.c_str(), &first), 0);
  EXPECT_EQ(Run(), kGood);
  ASSERT_EQ(::stat(options_.output.c_str(), &second), 0);
  EXPECT_EQ(HeaderOf(hub_.requests[1], "If-None-Match"), "\"abc\"");
  EXPECT_EQ(first.st_ino, second.st_ino);
  EXPECT_THAT(console_.out.str(), HasSubstr("revision 9, unchanged"));
}

TEST_F(AgentPullTree, the_same_files_of_another_request_leave_the_folder_in_place) {
  hub_.answers = {TreeOf({{"E=1.json", kOne}}),
                  TreeOf({{"E=1.json", kOne}}, "\"g\""),
                  {304, {{"tunehub-pin", "9-" + kTreeToken}}, ""}};
  EXPECT_EQ(Run(), kGood);
  struct stat first {
  }, second{};
  ASSERT_EQ(::stat(options_.output.c_str(), &first), 0);
  options_.device = "";
  EXPECT_EQ(Run(), kGood);
  ASSERT_EQ(::stat(options_.output.c_str(), &second), 0);
  EXPECT_EQ(first.st_ino, second.st_ino);
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(HeaderOf(hub_.requests[2], "If-None-Match"), "\"g\"");
}

// A process that opened the folder earlier can still read all old files.
TEST_F(AgentPullTree, a_reader_that_has_the_folder_open_keeps_the_old_one) {
  hub_.answers = {TreeOf({{"E=1.json", kOne}}), TreeOf({{"E=2.json", kTwo}}, "\"f\"")};
  EXPECT_EQ(Run(), kGood);
  const int open_folder = ::open(options_.output.c_str(), O_RDONLY | O_DIRECTORY);
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(::faccessat(open_folder, "E=1.json", R_OK, 0), 0);
  EXPECT_NE(::faccessat(open_folder, "E=2.json", R_OK, 0), 0);
  ::close(open_folder);
}

TEST_F(AgentPullTree, a_foreign_file_stays_and_stops_the_pull) {
  folder_.Write("configs/mine.json", "mine");
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("mine.json"));
  EXPECT_TRUE(hub_.requests.empty());
  EXPECT_EQ(Read("mine.json"), "mine");
}

TEST_F(AgentPullTree, forced_it_puts_the_foreign_files_aside) {
  folder_.Write("configs/mine.json", "mine");
  options_.force = true;
  hub_.answers = {TreeOf({{"E=1.json", kOne}})};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(Read("E=1.json"), kOne);
  EXPECT_FALSE(Has("mine.json"));
  EXPECT_EQ(Before("mine.json"), "mine");
  EXPECT_THAT(console_.out.str(), HasSubstr(".configs.before"));
}

TEST_F(AgentPullTree, a_changed_or_removed_file_is_somebodys_too) {
  hub_.answers = {TreeOf({{"E=1.json", kOne}, {"E=2.json", kOne}})};
  EXPECT_EQ(Run(), kGood);
  folder_.Write("configs/E=1.json", "edited");
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("E=1.json"));
  folder_.Write("configs/E=1.json", kOne);
  fs::remove(fs::path(options_.output) / "E=2.json");
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("E=2.json"));
}

TEST_F(AgentPullTree, what_a_killed_pull_left_beside_goes) {
  hub_.answers = {TreeOf({{"E=1.json", kOne}})};
  folder_.Write(".configs.0123abcd/half.json", "half");
  folder_.Write(".configs.notes/mine", "somebody's");
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_FALSE(fs::exists(folder_ / ".configs.0123abcd"));
  EXPECT_TRUE(fs::exists(folder_ / ".configs.notes/mine"));
}

TEST_F(AgentPullTree, a_link_goes_on_leading_to_the_folder) {
  fs::create_directory(folder_ / "real");
  fs::create_symlink(folder_ / "real", options_.output);
  hub_.answers = {TreeOf({{"E=1.json", kOne}})};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_TRUE(fs::is_symlink(options_.output));
  EXPECT_EQ(ReadText(folder_ / "real/E=1.json"), kOne);
}

TEST_F(AgentPullTree, a_lock_pins_the_files_and_not_their_packing) {
  options_.lock = folder_ / "tunehub.lock";
  hub_.answers = {TreeOf({{"E=1.json", kOne}}), TreeOf({{"E=1.json", kOne}})};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(hub_.requests[1].target, "/tree/vllm?device=MI300X&revision=7-" + kTreeToken);
  const auto lock = nlohmann::json::parse(ReadText(options_.lock));
  ASSERT_EQ(lock["tables"].size(), 1U);
  EXPECT_EQ(lock["tables"][0]["reader"], "vllm");
  EXPECT_EQ(lock["tables"][0]["sha256"],
            core::Sha256Hex(core::Sha256Hex(kOne) + "  vllm/E=1.json\n"));
  fs::remove_all(options_.output);
  hub_.answers = {TreeOf({{"E=1.json", kOne}}, "\"x\"", "9")};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(hub_.requests[2].target, "/tree/vllm?device=MI300X&revision=7-" + kTreeToken);
  fs::remove_all(options_.output);
  hub_.answers = {TreeOf({{"E=1.json", kTwo}}, "\"x\"", "9")};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("lock_mismatch"));
  EXPECT_FALSE(Has("E=1.json"));
}

TEST_F(AgentPullTree, refuses_a_tree_that_is_not_whole) {
  hub_.answers = {{200, {{"content-type", "application/gzip"}}, "no archive"},
                  {200, {{"content-type", "application/gzip"}}, core::WriteTarGz({{"a", "1"}})}};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("bad_archive"));
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("tree.json"));
  EXPECT_FALSE(fs::exists(options_.output));
}

TEST_F(AgentPullTree, no_name_of_a_lying_hub_is_written_and_the_folder_stays_as_it_was) {
  hub_.answers = {TreeOf({{"E=1.json", kOne}})};
  EXPECT_EQ(Run(), kGood);
  fs::create_directory_symlink(folder_.path(), folder_ / "link");
  const std::string victim = folder_.Write("victim", "old");
  std::vector<std::string> names = tunehub::test::HostileFileNames();
  names.insert(names.end(), {"/" + victim, victim, "../victim", "a/../../victim"});
  for (const std::string& name : names) {
    hub_.answers = {TreeOf({{"E=1.json", kTwo}, {name, kOne}}, "\"f\"")};
    EXPECT_EQ(Run(), kFailed) << name;
    EXPECT_THAT(console_.err.str(), HasSubstr("bad_archive")) << name;
  }
  EXPECT_EQ(Read("E=1.json"), kOne);
  EXPECT_FALSE(fs::exists(folder_ / ".configs.before"));
  EXPECT_EQ(ReadText(victim), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 3);
}

TEST_F(AgentPullTree,
       what_is_no_file_of_the_readers_is_not_written_and_the_folder_stays_as_it_was) {
  hub_.answers = {TreeOf({{"E=1.json", kOne}})};
  EXPECT_EQ(Run(), kGood);
  for (const auto& [name, bytes] : {std::pair<std::string, std::string>{"__init__.py", kOne},
                                    {"utils/x.json", kOne},
                                    {"E=2.json", "import os"}}) {
    hub_.answers = {TreeOf({{"E=1.json", kTwo}, {name, bytes}}, "\"f\"")};
    EXPECT_EQ(Run(), kFailed) << name;
    EXPECT_THAT(console_.err.str(), HasSubstr("the tree's file " + name + ": "));
    EXPECT_EQ(console_.out.str(), "");
  }
  EXPECT_EQ(Read("E=1.json"), kOne);
  EXPECT_FALSE(fs::exists(folder_ / ".configs.before"));
  configuration_.readers = {};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("unknown reader 'vllm'"));
}

TEST_F(AgentPullTree, a_link_that_is_planted_in_the_folder_leads_no_file_elsewhere) {
  hub_.answers = {TreeOf({{"triton_3_4_0/E=2.json", kOne}}),
                  TreeOf({{"triton_3_4_0/E=2.json", kTwo}}, "\"f\"")};
  EXPECT_EQ(Run(), kGood);
  fs::create_directory(folder_ / "elsewhere");
  fs::remove_all(fs::path(options_.output) / "triton_3_4_0");
  fs::create_directory_symlink(folder_ / "elsewhere", fs::path(options_.output) / "triton_3_4_0");
  options_.force = true;
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(Read("triton_3_4_0/E=2.json"), kTwo);
  EXPECT_TRUE(fs::is_empty(folder_ / "elsewhere"));
}

TEST_F(AgentPullTree, what_is_printed_for_a_shell_is_the_agents_own_variable_and_a_quoted_word) {
  const std::string line = "export VLLM_TUNED_CONFIG_FOLDER=";
  for (const std::string variable :
       {"PYTHONPATH", "PATH", "LD_PRELOAD", "", "X=1; id; Y", "x; id #", "$(id)", "X\nid"}) {
    Answer lie = TreeOf({});
    lie.body = TreeArchive({{"E=1.json", kOne}},
                           {{"variable", variable}, {"value", "/; id"}, {"packages", 1}});
    hub_.answers = {lie};
    fs::remove_all(options_.output);
    EXPECT_EQ(Run(), kGood) << variable << console_.err.str();
    EXPECT_THAT(console_.out.str(),
                HasSubstr("\n" + line + fs::canonical(options_.output).string() + "\n"));
    EXPECT_EQ(console_.out.str().find("export"), console_.out.str().rfind("export"));
  }
  const std::string origin = Read(".tunehub.json");
  EXPECT_THAT(origin, testing::Not(HasSubstr("; id")));
  // An agent that trusted this variable of the hub would have written the file below.
  folder_.Write("configs/.tunehub.json", "{\"variable\": \"PATH\"," + origin.substr(1));
  hub_.answers = {{304, {{"tunehub-pin", "8-" + kTreeToken}}, ""}};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_THAT(console_.out.str(), HasSubstr("unchanged\n" + line));
  options_.output = folder_ / "it's; $(here)";
  hub_.answers = {TreeOf({{"E=1.json", kOne}})};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_THAT(console_.out.str(), HasSubstr("/it'\\''s; $(here)'\n"));
}

TEST_F(AgentPullTree, a_reader_and_a_family_exclude_each_other) {
  options_.family = "fmoe";
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("one of --family"));
  options_.family = options_.reader = "";
  EXPECT_EQ(Run(), kFailed);
  options_.reader = "vllm";
  options_.build.name = "v1";
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("--build"));
}

TEST_F(AgentPullTree, says_what_is_borrowed) {
  Answer answer = TreeOf({{"E=1.json", kOne}});
  answer.headers["tunehub-borrowed-rows"] = "12;engine=sglang";
  hub_.answers = {answer};
  EXPECT_EQ(Run(), kGood);
  EXPECT_THAT(console_.err.str(), HasSubstr("12;engine=sglang"));
}

}  // namespace
}  // namespace tunehub::agent::test
