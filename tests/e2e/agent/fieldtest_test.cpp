// `tunehub-agent fieldtest` on this machine's CPU: the archive has the results, and no planted
// name.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/support/archive.h"
#include "tests/support/program.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;

constexpr const char* kPlanted[] = {"alice-planted", "node7-planted", "thub_plantedkey0123456789",
                                    "planted-hub",   "10.20.30.40",   "planted-token"};

TEST(Fieldtest, packs_what_ran_here_without_names_and_keys) {
  const TempDir dir;
  const std::string archive = dir / "field.tar.gz";
  std::filesystem::create_directories(dir / "alice-planted/planted-token");
  const auto done = RunToEnd({AgentBinary(),
                              {"fieldtest", "--minutes", "15", "--device", "cpu", "-o", archive},
                              {{"USER", "alice-planted"},
                               {"HOSTNAME", "node7-planted"},
                               {"TUNEHUB_KEY", "thub_plantedkey0123456789"},
                               {"TUNEHUB_HUB", "http://planted-hub:8080"},
                               {"HTTPS_PROXY", "10.20.30.40:3128"},
                               {"SOME_TOKEN", "planted-token"},
                               // discover prints this path
                               {"AITER_ROOT_DIR", dir / "alice-planted/planted-token"},
                               {"TMPDIR", dir / "alice-planted"}}});
  ASSERT_LE(done.status, 1) << done.err << done.out;
  EXPECT_THAT(done.out, HasSubstr("Nothing was sent."));
  const auto files = Unpacked(ReadText(archive));
  ASSERT_THAT(files, Contains(Key("tunehub-fieldtest/report.json")));
  const auto report = nlohmann::json::parse(files.at("tunehub-fieldtest/report.json"));
  EXPECT_EQ(report["steps"][0]["end"], "exit code 0") << report;
  EXPECT_THAT(files, Contains(Key("tunehub-fieldtest/discover/output.txt")));
  EXPECT_THAT(files, Contains(Key("tunehub-fieldtest/tune-builtin-a8w8/tuned.csv"))) << done.out;
  EXPECT_FALSE(report["not_run"].empty()) << "AITER's scripts need a GPU";
  for (const auto& [name, text] : files) {
    EXPECT_THAT(done.out, HasSubstr(name));
    for (const char* const planted : kPlanted) {
      EXPECT_THAT(text, Not(HasSubstr(planted))) << name;
      EXPECT_THAT(name, Not(HasSubstr(planted)));
    }
  }
}

TEST(Fieldtest, a_place_that_cannot_be_written_is_found_before_the_test) {
  const auto done = RunToEnd({AgentBinary(), {"fieldtest", "-o", "/proc/none/field.tar.gz"}});
  EXPECT_EQ(done.status, 2);
  EXPECT_THAT(done.err, HasSubstr("/proc/none"));
}

}  // namespace
}  // namespace tunehub::test
