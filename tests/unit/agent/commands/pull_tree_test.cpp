// tunehub-agent pull --reader: a folder that changes whole, and never takes what is somebody's.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/support/hostile_names.h"
#include "tests/unit/agent/commands/pull_support.h"
#include "tests/unit/agent/tree_support.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;
using test::HeaderOf;
using test::TreeOf;
using testing::HasSubstr;

class AgentPullTree : public test::PullTest {
 protected:
  AgentPullTree() {
    options_.reader = "vllm";
    options_.device = "MI300X";
    options_.output = folder_ / "configs";
  }
  std::string Read(const std::string& name) const {
    return test::ReadText(fs::path(options_.output) / name);
  }
  bool Has(const std::string& name) const { return fs::exists(fs::path(options_.output) / name); }
  std::string Before(const std::string& name) const {
    return test::ReadText(folder_ / (".configs.before/" + name));
  }
};

TEST_F(AgentPullTree, WritesTheFilesAndSaysWhatToSet) {
  hub_.answers = {TreeOf({{"E=8.json", "{8}"}, {"configs/triton_3_4_0/E=9.json", "{9}"}})};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(hub_.requests[0].target, "/tree/vllm?device=MI300X");
  EXPECT_EQ(Read("E=8.json"), "{8}");
  EXPECT_EQ(Read("configs/triton_3_4_0/E=9.json"), "{9}");
  EXPECT_EQ(console_.out.str(), options_.output +
                                    ": 2 files of vllm (triton_fused_moe), revision 7\n"
                                    "export VLLM_TUNED_CONFIG_FOLDER=" +
                                    fs::canonical(options_.output).string() + "\n");
}

TEST_F(AgentPullTree, WhatTheNewTreeLacksIsGone) {
  hub_.answers = {TreeOf({{"a.json", "1"}, {"b.json", "1"}}), TreeOf({{"b.json", "2"}}, "\"f\"")};
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_FALSE(Has("a.json"));
  EXPECT_EQ(Read("b.json"), "2");
}

TEST_F(AgentPullTree, NothingIsTouchedWhereNothingChanged) {
  hub_.answers = {TreeOf({{"a.json", "1"}}, "\"abc\""), {304, {{"tunehub-revision", "9"}}, ""}};
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

TEST_F(AgentPullTree, TheSameFilesOfAnotherRequestLeaveTheFolderInPlace) {
  hub_.answers = {TreeOf({{"a.json", "1"}}),
                  TreeOf({{"a.json", "1"}}, "\"g\""),
                  {304, {{"tunehub-revision", "9"}}, ""}};
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

// Who opened the folder before goes on reading all of the old files.
TEST_F(AgentPullTree, AReaderThatHasTheFolderOpenKeepsTheOldOne) {
  hub_.answers = {TreeOf({{"a.json", "1"}}), TreeOf({{"b.json", "2"}}, "\"f\"")};
  EXPECT_EQ(Run(), kGood);
  const int open_folder = ::open(options_.output.c_str(), O_RDONLY | O_DIRECTORY);
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(::faccessat(open_folder, "a.json", R_OK, 0), 0);
  EXPECT_NE(::faccessat(open_folder, "b.json", R_OK, 0), 0);
  ::close(open_folder);
}

TEST_F(AgentPullTree, AForeignFileStaysAndStopsThePull) {
  folder_.Write("configs/mine.json", "mine");
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("mine.json"));
  EXPECT_TRUE(hub_.requests.empty());
  EXPECT_EQ(Read("mine.json"), "mine");
}

TEST_F(AgentPullTree, ForcedItPutsTheForeignFilesAside) {
  folder_.Write("configs/mine.json", "mine");
  options_.force = true;
  hub_.answers = {TreeOf({{"a.json", "1"}})};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(Read("a.json"), "1");
  EXPECT_FALSE(Has("mine.json"));
  EXPECT_EQ(Before("mine.json"), "mine");
  EXPECT_THAT(console_.out.str(), HasSubstr(".configs.before"));
}

TEST_F(AgentPullTree, AChangedOrRemovedFileIsSomebodysToo) {
  hub_.answers = {TreeOf({{"a.json", "1"}, {"b.json", "1"}})};
  EXPECT_EQ(Run(), kGood);
  folder_.Write("configs/a.json", "edited");
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("a.json"));
  folder_.Write("configs/a.json", "1");
  fs::remove(fs::path(options_.output) / "b.json");
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("b.json"));
}

TEST_F(AgentPullTree, WhatAKilledPullLeftBesideGoes) {
  hub_.answers = {TreeOf({{"a.json", "1"}})};
  folder_.Write(".configs.0123abcd/half.json", "half");
  folder_.Write(".configs.notes/mine", "somebody's");
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_FALSE(fs::exists(folder_ / ".configs.0123abcd"));
  EXPECT_TRUE(fs::exists(folder_ / ".configs.notes/mine"));
}

TEST_F(AgentPullTree, ALinkGoesOnLeadingToTheFolder) {
  fs::create_directory(folder_ / "real");
  fs::create_symlink(folder_ / "real", options_.output);
  hub_.answers = {TreeOf({{"a.json", "1"}})};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_TRUE(fs::is_symlink(options_.output));
  EXPECT_EQ(test::ReadText(folder_ / "real/a.json"), "1");
}

TEST_F(AgentPullTree, ALockPinsTheFilesAndNotTheirPacking) {
  options_.lock = folder_ / "tunehub.lock";
  hub_.answers = {TreeOf({{"a.json", "1"}}), TreeOf({{"a.json", "1"}})};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(hub_.requests[1].target, "/tree/vllm?device=MI300X&revision=7");
  const auto lock = nlohmann::json::parse(test::ReadText(options_.lock));
  ASSERT_EQ(lock["tables"].size(), 1U);
  EXPECT_EQ(lock["tables"][0]["reader"], "vllm");
  EXPECT_EQ(lock["tables"][0]["sha256"], core::Sha256Hex(core::Sha256Hex("1") + "  vllm/a.json\n"));
  fs::remove_all(options_.output);
  hub_.answers = {TreeOf({{"a.json", "1"}}, "\"x\"", "9")};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(hub_.requests[2].target, "/tree/vllm?device=MI300X&revision=7");
  fs::remove_all(options_.output);
  hub_.answers = {TreeOf({{"a.json", "2"}}, "\"x\"", "9")};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("lock_mismatch"));
  EXPECT_FALSE(Has("a.json"));
}

TEST_F(AgentPullTree, RefusesATreeThatIsNotWhole) {
  hub_.answers = {{200, {{"content-type", "application/gzip"}}, "no archive"},
                  {200, {{"content-type", "application/gzip"}}, core::WriteTarGz({{"a", "1"}})}};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("bad_archive"));
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("tree.json"));
  EXPECT_FALSE(fs::exists(options_.output));
}

TEST_F(AgentPullTree, NoNameOfALyingHubIsWrittenAndTheFolderStaysAsItWas) {
  hub_.answers = {TreeOf({{"a.json", "1"}})};
  EXPECT_EQ(Run(), kGood);
  fs::create_directory_symlink(folder_.path(), folder_ / "link");
  for (const std::string& name : tunehub::test::HostileFileNames()) {
    hub_.answers = {TreeOf({{"a.json", "2"}, {name, "3"}}, "\"f\"")};
    EXPECT_EQ(Run(), kFailed) << name;
    EXPECT_THAT(console_.err.str(), HasSubstr("bad_archive")) << name;
  }
  EXPECT_EQ(Read("a.json"), "1");
  EXPECT_FALSE(fs::exists(folder_ / ".configs.before"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 2);
}

TEST_F(AgentPullTree, ALinkThatIsPlantedInTheFolderLeadsNoFileElsewhere) {
  hub_.answers = {TreeOf({{"a/b.json", "1"}}), TreeOf({{"a/b.json", "2"}}, "\"f\"")};
  EXPECT_EQ(Run(), kGood);
  fs::create_directory(folder_ / "elsewhere");
  fs::remove_all(fs::path(options_.output) / "a");
  fs::create_directory_symlink(folder_ / "elsewhere", fs::path(options_.output) / "a");
  options_.force = true;
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(Read("a/b.json"), "2");
  EXPECT_TRUE(fs::is_empty(folder_ / "elsewhere"));
}

TEST_F(AgentPullTree, WhatIsPrintedForAShellIsAVariableAndAQuotedWord) {
  for (const std::string variable : {"X=1; id; Y", "$(id)", "a", "X Y", "X\nid"}) {
    hub_.answers = {TreeOf({{"a.json", "1"}})};
    hub_.answers[0].body = test::TreeArchive(
        {{"a.json", "1"}},
        nlohmann::json(variable).dump().substr(1, nlohmann::json(variable).dump().size() - 2));
    EXPECT_EQ(Run(), kFailed) << variable;
    EXPECT_THAT(console_.err.str(), HasSubstr("names the variable '" + variable + "'"));
    EXPECT_EQ(console_.out.str(), "");
  }
  options_.output = folder_ / "it's; $(here)";
  hub_.answers = {TreeOf({{"a.json", "1"}})};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_THAT(console_.out.str(), HasSubstr("/it'\\''s; $(here)'\n"));
}

TEST_F(AgentPullTree, AReaderAndAFamilyExcludeEachOther) {
  options_.family = "fmoe";
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("one of them"));
  options_.family = options_.reader = "";
  EXPECT_EQ(Run(), kFailed);
  options_.reader = "vllm";
  options_.build.name = "v1";
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("--build"));
}

TEST_F(AgentPullTree, SaysWhatIsBorrowed) {
  Answer answer = TreeOf({{"a.json", "1"}});
  answer.headers["tunehub-borrowed-rows"] = "12;engine=sglang";
  hub_.answers = {answer};
  EXPECT_EQ(Run(), kGood);
  EXPECT_THAT(console_.err.str(), HasSubstr("12;engine=sglang"));
}

}  // namespace
}  // namespace tunehub::agent
