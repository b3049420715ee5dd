// Rules for the folders that an export may replace. Readers see only complete exports.
#include <gmock/gmock.h>

#include <fstream>

#include "server/ops/static_export.h"
#include "tests/support/result.h"
#include "tests/support/temp_dir.h"

namespace tunehub::server {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kIndex = R"({"format": "tunehub-static-export", "version": 1})";

class ExportFolderTest : public testing::Test {
 protected:
  fs::path Place() const { return dir_.path() / "site"; }
  std::string Read(const std::string& name) const {
    std::ifstream in(dir_.path() / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t Beside() const {  // entries of the folder that contains the export
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(dir_.path()), {}));
  }
  core::Status Export(const std::string& name) const {
    auto folder = BeginExport(Place());
    if (!folder.ok()) return folder.error();
    if (core::Status status = folder->Write(kIndexFile, kIndex); !status.ok()) return status;
    if (core::Status status = folder->Write(name, "new"); !status.ok()) return status;
    return folder->Publish();
  }

  test::TempDir dir_;
};

TEST_F(ExportFolderTest, a_place_that_is_not_there_or_empty_is_filled) {
  ASSERT_TRUE(Export("tables/a8w8.csv").ok());
  EXPECT_EQ(Read("site/tables/a8w8.csv"), "new");
  fs::remove_all(Place());
  fs::create_directory(Place());
  ASSERT_TRUE(Export("tables/a8w8.csv").ok());
  EXPECT_EQ(Beside(), 1U);
}

TEST_F(ExportFolderTest, an_export_of_before_is_replaced_as_a_whole) {
  ASSERT_TRUE(Export("tables/old.csv").ok());
  ASSERT_TRUE(Export("tables/new.csv").ok());
  EXPECT_FALSE(fs::exists(Place() / "tables/old.csv"));
  EXPECT_EQ(Read("site/tables/new.csv"), "new");
  EXPECT_EQ(Beside(), 1U);
}

TEST_F(ExportFolderTest, nothing_is_seen_of_what_was_not_published) {
  ASSERT_TRUE(Export("tables/old.csv").ok());
  {
    auto folder = Must(BeginExport(Place()));
    ASSERT_TRUE(folder.Write("tables/half.csv", "half").ok());
    EXPECT_FALSE(fs::exists(Place() / "tables/half.csv"));
  }
  EXPECT_EQ(Read("site/tables/old.csv"), "new");
  EXPECT_EQ(Beside(), 1U);
}

TEST_F(ExportFolderTest, what_is_somebodys_stays) {
  dir_.Write("site/notes.txt", "mine");
  core::Status status = Export("tables/a8w8.csv");
  EXPECT_EQ(ErrorCode(status), "not_an_export");
  EXPECT_THAT(status.error().detail, HasSubstr("contains 'notes.txt'"));
  EXPECT_EQ(Read("site/notes.txt"), "mine");
}

TEST_F(ExportFolderTest, a_folder_of_the_same_names_that_is_no_export_stays) {
  dir_.Write("site/index.html", "a page of somebody's");
  EXPECT_THAT(Export("tables/a8w8.csv").error().detail, HasSubstr("has no index.json"));
  dir_.Write("site/index.json", R"({"format": 7})");
  EXPECT_EQ(Export("tables/a8w8.csv").error().code, "not_an_export");
  dir_.Write("site/index.json", "[");
  EXPECT_EQ(Export("tables/a8w8.csv").error().code, "not_an_export");
}

TEST_F(ExportFolderTest, a_checkout_keeps_its_git_folder) {
  ASSERT_TRUE(Export("tables/a8w8.csv").ok());
  dir_.Write("site/.git/HEAD", "ref: refs/heads/gh-pages");
  EXPECT_THAT(Export("tables/a8w8.csv").error().detail, HasSubstr("contains '.git'"));
}

TEST_F(ExportFolderTest, what_came_while_it_was_written_stays_too) {
  auto folder = Must(BeginExport(Place()));
  dir_.Write("site/notes.txt", "mine");
  EXPECT_EQ(folder.Publish().error().code, "not_an_export");
  EXPECT_EQ(Read("site/notes.txt"), "mine");
}

TEST_F(ExportFolderTest, a_file_is_no_place) {
  dir_.Write("site", "a file");
  EXPECT_THAT(Export("tables/a8w8.csv").error().detail, HasSubstr("is not a folder"));
}

TEST_F(ExportFolderTest, a_link_goes_on_leading_to_it) {
  fs::create_directory(dir_.path() / "www");
  fs::create_symlink(dir_.path() / "www", Place());
  ASSERT_TRUE(Export("tables/a8w8.csv").ok());
  EXPECT_TRUE(fs::is_symlink(Place()));
  EXPECT_EQ(Read("www/tables/a8w8.csv"), "new");
}

}  // namespace
}  // namespace tunehub::server
