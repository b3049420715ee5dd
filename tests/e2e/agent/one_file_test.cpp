// tunehub-agent is one file. A copy runs on any Linux with glibc 2.35 or later, for example in
// ROCm's containers of Ubuntu 22.04, which have 2.35.
#include <gmock/gmock.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <utility>

#include "tests/support/program.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::pair<int, int> kNewestGlibc{2, 35};

class OneFile : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers need shared libraries";
#endif
  }
};

// readelf is installed, because the compiler depends on binutils.
std::string Readelf(const char* option) {
  const auto done = RunToEnd({"/usr/bin/readelf", {"-W", option, AgentBinary()}, {}});
  EXPECT_EQ(done.status, 0) << done.err;
  return done.out;
}

std::set<std::string> All(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
    found.insert((*it)[1]);
  }
  return found;
}

TEST_F(OneFile, needs_the_c_library_alone) {
  const auto needed = All(Readelf("-d"), R"(\(NEEDED\).*\[(.*)\])");
  EXPECT_TRUE(needed.contains("libc.so.6")) << testing::PrintToString(needed);
  for (const std::string& library : needed) {
    EXPECT_THAT(library, testing::AnyOf("libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"));
  }
}

TEST_F(OneFile, asks_for_no_symbol_of_a_newer_c_library) {
  const std::string symbols = Readelf("--dyn-syms");
  const auto versions = All(symbols, R"(@GLIBC_([0-9.]+))");
  EXPECT_GT(versions.size(), 3U) << symbols;
  for (const std::string& version : versions) {
    const std::size_t dot = version.find('.');
    const std::pair number{std::stoi(version), std::stoi(version.substr(dot + 1))};
    EXPECT_LE(number, kNewestGlibc) << testing::PrintToString(
        All(symbols, "(\\S+@GLIBC_" + std::regex_replace(version, std::regex("\\."), "\\.") + ")"));
  }
  EXPECT_THAT(All(symbols, R"(@([A-Z]+)_)"), testing::ElementsAre("GLIBC"));
}

TEST_F(OneFile, runs_by_any_name_from_any_folder_without_anything_beside_it) {
  const TempDir folder;
  const std::string copy = folder.path() / "agent of mine";
  fs::copy_file(AgentBinary(), copy);
  const auto run = [&](std::vector<std::string> arguments) {
    return RunToEnd({copy, std::move(arguments), {}});
  };
  EXPECT_EQ(run({"--version"}).status, 0);
  // The file contains the families, models and heuristics, and starts itself as the worker.
  const auto shapes =
      run({"shapes", "--model", "qwen3-32b", "--tp", "8", "--family", "a8w8_blockscale"});
  EXPECT_EQ(shapes.status, 0) << shapes.err;
  const auto unknown = run({"shapes", "--model", "qwen4", "--family", "a8w8"});
  EXPECT_THAT(unknown.err, HasSubstr("unknown model 'qwen4'; did you mean qwen3-14b or "));
  const auto selftest = run({"selftest", "--device", "cpu", "--family", "batched_bf16"});
  EXPECT_EQ(selftest.status, 0) << selftest.err << selftest.out;
}

}  // namespace
}  // namespace tunehub::test
