// A server in its own prefix finds the installed files and the administrator's settings.
#include "build_info.h"
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;

class InstallationTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(prefix() / "bin");
    fs::create_directories(prefix() / "share");
    // Not a link, because the server would find the build folder through it.
    fs::copy_file(ServerBinary(), program());
    fs::create_directory_symlink(TUNEHUB_SOURCE_DIR, prefix() / "share/tunehub");
  }
  void WriteSettings(const std::string& json) const {
    dir_.Write("opt/etc/tunehub/server.json", json);
  }
  // The message with which the server refuses its settings.
  std::string Refusal(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"serve", "--data", dir_ / "data"});
    const Finished finished = RunToEnd({program(), std::move(more)});
    EXPECT_NE(finished.status, 0);
    return finished.err;
  }
  fs::path prefix() const { return dir_.path() / "opt"; }
  fs::path program() const { return prefix() / "bin/tunehub-server"; }
  fs::path settings() const { return prefix() / "etc/tunehub/server.json"; }

  TempDir dir_;
};

TEST_F(InstallationTest, the_administrators_file_counts_for_every_command_that_names_none) {
  WriteSettings(R"({"listen":"of-administrator"})");
  const std::string named = "listen: 'of-administrator' (from " + settings().string() + ")";
  EXPECT_THAT(Refusal(), HasSubstr(named));
  EXPECT_THAT(RunToEnd({program(), {"key", "list"}}).err, HasSubstr(named));
  EXPECT_THAT(Refusal({"--listen", "in-flag"}), HasSubstr("listen: 'in-flag' (from --listen)"));
  const std::string own = dir_.Write("own.json", R"({"listen":"of-ones-own"})");
  EXPECT_THAT(Refusal({"--config", own}), HasSubstr("'of-ones-own' (from " + own + ")"));
}

TEST_F(InstallationTest, the_families_are_those_of_the_prefix) {
  WriteSettings("{}");
  const Finished migrated = RunToEnd({program(), {"migrate", "--database", NewDatabase()}});
  EXPECT_EQ(migrated.status, 0) << migrated.err;
  EXPECT_THAT(migrated.out, HasSubstr(" families known"));
  fs::remove(prefix() / "share/tunehub");
  dir_.Write("opt/share/tunehub/configs/targets.json", "[");
  EXPECT_THAT(RunToEnd({program(), {"migrate", "--database", NewDatabase()}}).err,
              HasSubstr(prefix().string() + "/share/tunehub/configs/"));
}

}  // namespace
}  // namespace tunehub::test
