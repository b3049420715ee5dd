// The functions that the shared library exports, and the libraries that it needs.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "build_info.h"
#include "tests/dispatch/support.h"
#include "tests/support/program.h"
#include "tests/support/shipped.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {
namespace {

// The functions that the header declares: the names between "TH_API" and the next "(".
std::set<std::string> Declared() {
  const std::string header = ReadText(TUNEHUB_SOURCE_DIR "/dispatch/tunehub_dispatch.h");
  std::set<std::string> names;
  for (std::size_t at = header.find("\nTH_API "); at != std::string::npos;
       at = header.find("\nTH_API ", at + 1)) {
    const std::size_t end = header.find('(', at);
    const std::size_t begin = header.find_last_of(" *", end) + 1;
    names.insert(header.substr(begin, end - begin));
  }
  return names;
}

TEST(DispatchLibrary, shows_its_own_functions_and_nothing_else) {
  const Finished listed =
      RunToEnd({"/usr/bin/nm", {"-D", "--defined-only", DispatchLibrary()}, {}});
  ASSERT_EQ(listed.status, 0) << listed.err;
  std::set<std::string> shown;
  std::istringstream lines(listed.out);
  for (std::string address, type, name; lines >> address >> type >> name;) shown.insert(name);
  EXPECT_EQ(shown, Declared());
  EXPECT_TRUE(shown.contains("th_launch"));
}

TEST(DispatchLibrary, needs_nothing_but_libc) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers keep sections that need other libraries";
#endif
  const Finished read = RunToEnd({"/usr/bin/readelf", {"-d", DispatchLibrary()}, {}});
  ASSERT_EQ(read.status, 0) << read.err;
  std::istringstream lines(read.out);
  int needed = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("(NEEDED)") == std::string::npos) continue;
    ++needed;
    const std::string name = line.substr(line.find('[') + 1, line.find(']') - line.find('[') - 1);
    const bool libc = name == "libc.so.6" || name == "libm.so.6" || name.starts_with("ld-linux");
    EXPECT_TRUE(libc) << name;
  }
  EXPECT_GT(needed, 0);
}

// The example program without a GPU, and on a fake driver.

using testing::HasSubstr;
using testing::StartsWith;

class DispatchExampleOffline : public testing::Test {
 protected:
  DispatchExampleOffline() : table_(dir_ / "table.csv") {
    std::ofstream(table_) << kBlockscaleHeader
                          << "sm_90,132,16,128,512,tunehub,8,0,8.6,"
                             "tk_a8w8_blockscale_sm90_64x128x128_s8_c1x1_g8,0,0,0.0\n";
  }
  Finished Run(std::map<std::string, std::string> environment,
               std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {table_, "--gemm", "128x512", "--m", "9"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunToEnd({ExampleBinary(), arguments, std::move(environment)});
  }
  static std::map<std::string, std::string> WithFake() {
    return {{"LD_LIBRARY_PATH", std::filesystem::path(TUNEHUB_FAKE_CUDA).parent_path().string()}};
  }

  TempDir dir_;
  std::string table_;
};

TEST_F(DispatchExampleOffline, without_a_gpu_it_says_so_in_one_sentence) {
  if (std::filesystem::exists("/dev/kfd") || std::filesystem::exists("/dev/nvidia0")) {
    GTEST_SKIP() << "this host has a GPU";
  }
  const Finished run = Run({});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, StartsWith("dispatch-example: no_"));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_EQ(Run({}, {"--gfx", "sm_90", "--cu-num", "132"}).status, 0);
}

// The fake driver computes nothing, so every kernel's result is wrong.
TEST_F(DispatchExampleOffline, finds_the_row_of_this_gpu_and_times_no_kernel_that_computes_wrong) {
  const Finished run = Run(WithFake());
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.out, StartsWith("Fake 0: sm_90 with 132 compute units\n"));
  EXPECT_THAT(run.out, HasSubstr("gl0             16     8.6000"));
  EXPECT_THAT(run.err, HasSubstr("tk_a8w8_blockscale_sm90_128x128x128_s5_c1x1_g8 computed "
                                 "1.000000 of the elements wrong at M=9"));
}

}  // namespace
}  // namespace tunehub::test
