#include "server/ops/dashboard.h"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace tunehub::server {
namespace {

class DashboardFilesTest : public testing::Test {
 protected:
  test::TempDir dir_;
};

TEST_F(DashboardFilesTest, holds_the_page_and_its_assets_with_their_packed_bytes) {
  dir_.Write("index.html", "<!doctype html>");
  dir_.Write("assets/main-1a2b.js", "let a;");
  dir_.Write("assets/main-1a2b.js.gz", "packed");
  dir_.Write("assets/icon-3c4d.svg", "<svg/>");
  dir_.Write("docs/reference/errors.html", "<h1>");
  const Dashboard dashboard = Dashboard::Load(dir_.path());
  ASSERT_NE(dashboard.Find("index.html"), nullptr);
  EXPECT_EQ(*dashboard.Find("index.html")->body, "<!doctype html>");
  EXPECT_EQ(dashboard.Find("index.html")->content_type, "text/html; charset=utf-8");
  EXPECT_EQ(dashboard.Find("index.html")->gzip, nullptr);
  const DashboardFile* const script = dashboard.Find("assets/main-1a2b.js");
  ASSERT_NE(script, nullptr);
  EXPECT_EQ(*script->body, "let a;");
  EXPECT_EQ(*script->gzip, "packed");
  EXPECT_EQ(script->content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(dashboard.Find("assets/icon-3c4d.svg")->content_type, "image/svg+xml");
  EXPECT_EQ(*dashboard.Find("docs/reference/errors.html")->body, "<h1>");
}

TEST_F(DashboardFilesTest, knows_no_other_file_by_whatever_path) {
  dir_.Write("index.html", "");
  dir_.Write("secret", "");
  dir_.Write("assets/main.js.gz", "");
  const Dashboard dashboard = Dashboard::Load(dir_.path());
  for (const char* name : {"../secret", "secret", "../index.html", "main.js.gz", "", "."}) {
    EXPECT_EQ(dashboard.Find(std::string("assets/") + name), nullptr) << name;
  }
}

TEST_F(DashboardFilesTest, is_empty_where_none_was_built) {
  const Dashboard dashboard = Dashboard::Load(dir_.path() / "dist");
  EXPECT_EQ(dashboard.Find("index.html"), nullptr);
  EXPECT_EQ(dashboard.Find("assets/main.js"), nullptr);
}

}  // namespace
}  // namespace tunehub::server
