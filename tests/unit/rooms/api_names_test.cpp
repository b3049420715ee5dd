// server/api may not include the store, but the services' headers do: its names would be at hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "build_info.h"
#include "tests/support/shipped.h"
#include "tests/unit/rooms/rooms.h"

namespace tunehub::test {
namespace {

TEST(ServerApi, names_nothing_of_the_store_which_its_services_bring_along) {
  std::set<std::string> files, offenders;
  for (const auto& include : IncludesOfTheTree()) {
    if (include.file.starts_with("server/api/")) files.insert(include.file);
  }
  ASSERT_GT(files.size(), 20U);
  for (const std::string& file : files) {
    const std::string text = ReadText(TUNEHUB_SOURCE_DIR "/" + file);
    if (text.find("store::") != std::string::npos) offenders.insert(file);
  }
  EXPECT_THAT(offenders, testing::IsEmpty());
}

}  // namespace
}  // namespace tunehub::test
