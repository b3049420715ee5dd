// Tables that no family describes. An admin imports them, and builds fetch them.
#include <filesystem>

#include "core/table/detect.h"
#include "tests/e2e/hub_fixture.h"
#include "tests/support/archive.h"

namespace tunehub::test {
namespace {

RawAnswer Send(ServerProcess& server, const std::string& key,
               const std::vector<core::TarFile>& files, const std::string& source = "tree") {
  return SendTree(server.Client(key), "source=" + source + "&allow_shrink=1", files);
}

const std::string kPath = "aiter/configs/frob_tuned_gemm.csv";
const std::string kFrobHeader = "# frob\ngfx,cu_num,M,us,kernelName\n";
const std::string kUntunedPath = "aiter/configs/frob_untuned_gemm.csv";

TEST(UnlistedTest, a_table_is_served_as_it_came_and_one_row_wins_a_key) {
  ServerProcess server({.database = NewDatabase()});
  const std::string admin = server.NewKey("admin");
  const std::string text = kFrobHeader + "gfx950,256,16,9.5,a\ngfx942,304,8,8.5,b\n";
  const core::TarFile untuned{kUntunedPath, "M\n16\n"};
  ASSERT_EQ(Verdict(Send(server, admin, {{kPath, text}, untuned})), "200");
  const auto first = server.Client().Get("/tuned/frob_tuned_gemm");
  EXPECT_EQ(first.body, text);
  const std::string pin(first.Header("tunehub-pin"));
  EXPECT_EQ(server.Client().Get("/tuned/frob_tuned_gemm?gfx=gfx950&cu_num=256").body,
            kFrobHeader + "gfx950,256,16,9.5,a\n");
  EXPECT_EQ(Verdict(server.Client().Get("/tuned/frob_tuned_gemm?gfx=gfx1201")), "404 no_rows");
  EXPECT_EQ(Verdict(server.Client().Get("/tuned/frob_tuned")), "404 unknown_family");
  const auto index = JsonOf(server.Client().Get("/tuned")).at("unlisted");
  EXPECT_EQ(index.dump(),
            "[{\"competes\":true,\"path\":\"frob_tuned_gemm.csv\",\"rows\":2,"
            "\"table\":\"frob_tuned_gemm\"}]");

  const std::string faster = kFrobHeader + "gfx950,256,16,7.5,c\ngfx942,304,8,9.9,d\n";
  ASSERT_EQ(Verdict(Send(server, admin, {{kPath, faster}, untuned}, "other")), "200");
  EXPECT_EQ(server.Client().Get("/tuned/frob_tuned_gemm").body,
            kFrobHeader + "gfx950,256,16,7.5,c\ngfx942,304,8,8.5,b\n");
  Good(Send(server, admin, {{kPath, kFrobHeader + "gfx950,256,16,9.5,a\n"}, untuned}));
  EXPECT_EQ(server.Client().Get("/tuned/frob_tuned_gemm?revision=" + pin).body, text);
}

TEST(UnlistedTest, a_bundle_has_it_where_it_was) {
  ServerProcess server({.database = NewDatabase()});
  const std::string text = "gfx,x,us\ngfx950,1,5\n",
                    path = "aiter/configs/model_configs/frob_moe.csv";
  ASSERT_EQ(Verdict(Send(server, server.NewKey("admin"), {{path, text}})), "200");
  EXPECT_EQ(Unpacked(server.Client().Get("/bundle?gfx=gfx950").body).at(path), text);
}

TEST(UnlistedTest, only_an_admins_import_makes_one) {
  ServerProcess server({.database = NewDatabase()});
  const std::string text = "gfx,x\ngfx950,1\n", known = "a8w8_blockscale_tuned_gemm.csv";
  const RawAnswer answer = Good(SendTree(server.Client(server.NewKey("submit")), "source=tree",
                                         {{known, kHeader + Row(16, "7.5")}, {kPath, text}}));
  EXPECT_EQ(JsonOf(answer).at("files")[1].at("code"), "needs_admin");
  EXPECT_EQ(Verdict(server.Client().Get("/tuned/frob_tuned_gemm")), "404 unknown_family");
  EXPECT_EQ(Verdict(server.Client(server.NewKey("admin"))
                        .Post("/results/unlisted", "table,gfx,cu_num,key\n",
                              {{"Content-Type", "text/csv"}})),
            "422 imports_only");
  const auto refused = Send(server, server.NewKey("admin"), {{kPath, "<!doctype html>\n"}});
  EXPECT_EQ(Verdict(refused), "422 nothing_to_import");
}

// The hub must return a table that no family describes byte for byte.
TEST(UnlistedTest, each_real_table_of_a_later_tree_comes_out_as_it_came) {
  const std::filesystem::path folder = RealDataFolder() / "aiter_2026_11" / "configs";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << folder << " does not exist";
  std::vector<core::TarFile> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".csv") continue;
    files.push_back({"aiter/configs/" + entry.path().lexically_relative(folder).string(),
                     ReadText(entry.path())});
  }
  ServerProcess server({.database = NewDatabase()});
  const RawAnswer answer = Good(Send(server, server.NewKey("admin"), files));
  std::size_t carried = 0;
  for (const core::TarFile& file : files) {
    const std::string name = core::UnlistedStem(ShippedFamilies(), file.name);
    if (name.empty()) continue;
    ++carried;
    EXPECT_EQ(server.Client().Get("/tuned/" + name).body, file.bytes) << file.name;
  }
  EXPECT_GT(carried, 0u);
  const auto receipt = JsonOf(answer);
  for (const auto& file : receipt.at("files")) {
    EXPECT_NE(file.at("status"), "refused") << file.dump();
    const bool imported = file.at("status") == "imported";
    EXPECT_TRUE(!imported || file.at("rejected").empty()) << file.dump();
  }
}

}  // namespace
}  // namespace tunehub::test
