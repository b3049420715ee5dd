#include "agent/install/module_builder.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

using testing::ElementsAre;
using testing::Pair;

// As AITER's generators write them: keyed by shape, with the architecture or, in older releases,
// without; keyed by name; by hand, with comments.
constexpr char kByShape[] =
    "#pragma once\n#ifdef USE_ROCM\n\n#define GENERATE_LOOKUP_TABLE(DTYPE, ETYPE)    \\\n"
    "   {                                    \\\n"
    "       {{\"gfx942\", 304, 16, 1280, 8192},      \\\n"
    "        a8w8_rowwise_256x16x64<DTYPE, ETYPE>},                 \\\n"
    "       {{\"gfx942\", 304, 32, 1280, 8192},      \\\n"
    "        a8w8_rowwise_256x32x64<DTYPE, ETYPE>},                 \\\n"
    "   }\n\n#endif // USE_ROCM\n";

TEST(LookupHeader, rows_are_read_whatever_they_are_keyed_by) {
  EXPECT_THAT(ReadLookupHeader(kByShape),
              ElementsAre(Pair("\"gfx942\",304,16,1280,8192", "a8w8_rowwise_256x16x64"),
                          Pair("\"gfx942\",304,32,1280,8192", "a8w8_rowwise_256x32x64")));
  EXPECT_THAT(ReadLookupHeader("{ /* NK= 4608, 3584 */ \\\n {{16, 4608, 3584}, \\\n x_1<DTYPE>},"
                               " // {{1, 2, 3}, y<D>}\n"),
              ElementsAre(Pair("16,4608,3584", "x_1")));
  EXPECT_THAT(ReadLookupHeader("   {\"a8w8_blockscale_x\", a8w8_blockscale_x<DTYPE, ETYPE>},\\\n"),
              ElementsAre(Pair("a8w8_blockscale_x", "a8w8_blockscale_x")));
}

TEST(LookupHeader, what_is_no_row_is_passed_over) {
  for (const char* text : {"", "<", "/*", "//", "a<b>", ",a<b>", "},a<b>", "\",a<b>", "{\"},a<b>",
                           "{1}},a<", "#include <vector>", "{{1,2,3},<x>", "\"x\",a<b>"}) {
    EXPECT_TRUE(ReadLookupHeader(text).empty()) << text;
  }
}

TEST(LookupHeader, what_a_build_changed_is_counted_and_named) {
  const LookupRows before = {{"1,2,3", "a"}, {"2,2,3", "a"}, {"3,2,3", "b"}};
  const LookupRows after = {{"1,2,3", "a"}, {"2,2,3", "c"}, {"4,2,3", "b"}};
  const LookupChange change = CompareLookups(before, after);
  EXPECT_EQ(SummaryOf(change), "1 rows added, 1 removed, 1 with another kernel, 3 now");
  EXPECT_THAT(change.added, ElementsAre("4,2,3"));
  EXPECT_THAT(change.removed, ElementsAre("3,2,3"));
  EXPECT_THAT(change.changed, ElementsAre("2,2,3: a -> c"));
  LookupRows many;
  for (int i = 0; i < 50; ++i) many[std::to_string(i)] = "a";
  const LookupChange all = CompareLookups({}, many);
  EXPECT_EQ(all.rows_added, 50U);
  EXPECT_EQ(all.added.size(), kMostKeys);
}

TEST(LookupHeader, all_headers_of_a_modules_build_folder_are_its_table) {
  const TempFolder folder;
  folder.Write("module_x/blob/x_lookup.h", kByShape);
  folder.Write("module_x/blob/impl/y_lookup.h", "{{1, 2, 3}, y<D>}");
  folder.Write("module_x/blob/z.h", "{{7, 2, 3}, z<D>}");
  EXPECT_EQ(ReadLookupHeaders(folder / "module_x").size(), 3U);
  EXPECT_TRUE(ReadLookupHeaders(folder / "none").empty());
}

}  // namespace
}  // namespace tunehub::agent::test
