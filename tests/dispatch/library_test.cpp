// What the shared library shows and needs.
#include <set>
#include <sstream>

#include "build_info.h"
#include "tests/support/program.h"
#include "tests/support/shipped.h"

namespace tunehub::test {
namespace {

// The names between "TH_API" and the next "(".
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
  GTEST_SKIP() << "a sanitizer keeps sections that need other libraries";
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

}  // namespace
}  // namespace tunehub::test
