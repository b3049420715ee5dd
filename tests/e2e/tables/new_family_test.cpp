// A new family is one JSON file: the hub accepts, merges and serves its rows without new code.
#include <fstream>

#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

constexpr const char* kFamily = R"({
  "name": "a6w6_demo",
  "title": "A6W6 GEMM, which AITER does not have",
  "file": "a6w6_demo_tuned_gemm.csv",
  "token": "a6w6_demo_tuned_gemm",
  "env": "AITER_CONFIG_GEMM_A6W6_DEMO",
  "untuned_file": "a6w6_demo_untuned_gemm.csv",
  "untuned_columns": ["M", "N", "K", "rounding"],
  "tune_script": "csrc/a6w6_demo_tune.py",
  "op_test": "op_tests/test_a6w6_demo.py",
  "error_limit": 0.1,
  "columns": [
    {"name": "gfx", "role": "target", "type": "gfx"},
    {"name": "cu_num", "role": "target", "type": "integer", "min": 1, "max": 4096},
    {"name": "M", "role": "shape", "type": "integer", "min": 1},
    {"name": "N", "role": "shape", "type": "integer", "min": 1},
    {"name": "K", "role": "shape", "type": "integer", "min": 1},
    {"name": "rounding", "role": "shape", "type": "enum", "values": ["up", "down"]},
    {"name": "stages", "role": "config", "type": "integer"},
    {"name": "kernelName", "role": "config", "type": "kernel"},
    {"name": "us", "role": "objective", "type": "number"},
    {"name": "errRatio", "role": "error", "type": "error", "missing": ""}
  ],
  "metric": {"formula": "gemm", "m": "M", "n": "N", "k": "K", "bytes": [0.75, 0.75, 2], "precision": "fp8"},
  "lookup": {"kind": "padded_m", "m": "M"},
  "signature": {"has": ["M", "N", "K", "rounding"], "lacks": ["B", "token"], "kernel_prefixes": ["a6w6_"]},
  "heat_map": {"x": "M", "y": ["N", "K"]}
}
)";

const std::string kDemoHeader = "gfx,cu_num,M,N,K,rounding,stages,kernelName,us,errRatio\n";
const std::string kUp = "gfx950,256,16,512,1024,up,3,a6w6_x,4.5,0.0\n";
const std::string kDown = "gfx950,256,16,512,1024,down,3,a6w6_x,4.25,0.0\n";
const std::string kSlowUp = "gfx950,256,16,512,1024,up,2,a6w6_y,5.5,0.0\n";

std::filesystem::path CopyConfigs(const TempDir& dir) {
  std::filesystem::path configs = dir.path() / "configs";
  std::filesystem::copy(ShippedFamilyFolder().parent_path(), configs,
                        std::filesystem::copy_options::recursive);
  return configs;
}

// The error 0.04 is below the old limit and above the new limit.
void LowerErrorLimit(const std::filesystem::path& configs) {
  const auto file = configs / "families/a8w8_blockscale.json";
  std::string text = ReadText(file);
  text.replace(text.find("\"error_limit\": 0.2"), 18,
               "\"error_limit\": 0.2, \"tuner_error_limit\": 0.02");
  std::ofstream(file) << text;
}

TEST(NewFamilyTest, one_file_in_the_folder_is_enough_to_push_merge_and_serve_it) {
  const TempDir dir;
  const std::filesystem::path configs = CopyConfigs(dir);
  std::ofstream(configs / "families/a6w6_demo.json") << kFamily;
  ServerProcess server({.database = NewDatabase(), .configs = configs});
  const auto one = dir.Write("a6w6_demo_tuned_gemm.csv", kDemoHeader + kDown + kSlowUp);
  const auto two = dir.Write("a6w6_demo_tuned_gemm_two.csv", kDemoHeader + kUp);
  const std::string expected =
      kDemoHeader + kUp + kDown;  // "up" is first in the list "rounding" of the family's file

  const Finished pushed =
      RunToEnd({AgentBinary(),
                {"push", one, two, "--configs", configs.string(), "--spool", dir / "spool"},
                {{"TUNEHUB_HUB", server.url()}, {"TUNEHUB_KEY", server.NewKey("submit")}}});
  EXPECT_EQ(pushed.status, 0) << pushed.out << pushed.err;
  const RawAnswer served = server.Client().Get("/tuned/a6w6_demo?gfx=gfx950");
  EXPECT_EQ(served.body, expected);
  EXPECT_EQ(server.Client().Get("/tuned/a6w6_demo?rounding=down").body, kDemoHeader + kDown);
  EXPECT_EQ(Verdict(server.Client().Get("/tuned/a6w6_demo?rounding=sideways")),
            "400 bad_parameter");

  const std::string merged = dir / "merged.csv";
  const Finished done = RunToEnd(
      {AgentBinary(), {"merge", one + ":" + two, "-o", merged, "--configs", configs.string()}, {}});
  EXPECT_EQ(done.status, 1) << done.err;  // status 1: a duplicate row, which AITER would refuse
  EXPECT_EQ(ReadText(merged), expected);
  EXPECT_THAT(server.Client().Get("/families").body, testing::HasSubstr("\"name\":\"a6w6_demo\""));
}

TEST(NewFamilyTest, a_changed_family_file_is_refused_until_migrate_has_judged_its_rows_anew) {
  const TempDir dir;
  const std::filesystem::path configs = CopyConfigs(dir);
  const std::string database = NewDatabase();
  std::string table;
  {
    ServerProcess server({.database = database, .configs = configs});
    const std::string wrong = Erring(Row(1, "5.0"), "0.04");
    Good(server.Client(server.NewKey("submit")).Post(kResults, kHeader + wrong));
    table = server.Client().Get(kTable).body;
    EXPECT_EQ(table, kHeader + wrong);
    EXPECT_EQ(server.Stop(), 0);
  }
  LowerErrorLimit(configs);
  const std::vector<std::string> rest = {"--database", database, "--configs", configs.string()};
  std::vector<std::string> serve = {"serve", "--listen", "127.0.0.1:0"};
  serve.insert(serve.end(), rest.begin(), rest.end());
  const Finished refused = RunToEnd({ServerBinary(), serve, {}});
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.err, testing::HasSubstr("definitions_changed"));
  EXPECT_THAT(refused.err, testing::HasSubstr("a8w8_blockscale"));
  EXPECT_THAT(refused.err, testing::HasSubstr("migrate"));

  ServerProcess server({.database = database, .configs = configs});  // migrates the database
  EXPECT_EQ(Verdict(server.Client().Get(kTable)), "404 no_rows");
  EXPECT_EQ(JsonOf(server.Client().Get("/readyz")).at("revision"), 2);
  EXPECT_EQ(server.Client().Get(kTable + "&revision=1").body, table);
}

TEST(NewFamilyTest, lines_that_were_carried_are_read_again_as_its_rows) {
  const TempDir dir;
  const std::filesystem::path configs = CopyConfigs(dir);
  const std::string database = NewDatabase(), table = "/tuned/a6w6_demo_tuned_gemm";
  const std::string text = kDemoHeader + kDown + kSlowUp;
  std::string pin;
  {
    ServerProcess server({.database = database, .configs = configs});
    Good(SendTree(server.Client(server.NewKey("admin")), "source=tree",
                  {{"aiter/configs/a6w6_demo_tuned_gemm.csv", text}}));
    const RawAnswer carried = server.Client().Get(table);
    EXPECT_EQ(carried.body, text);
    pin = carried.Header("tunehub-pin");
  }
  std::ofstream(configs / "families/a6w6_demo.json") << kFamily;
  for (int start = 0; start < 2; ++start) {
    ServerProcess server({.database = database, .configs = configs});
    EXPECT_EQ(server.Client().Get("/tuned/a6w6_demo").body, kDemoHeader + kSlowUp + kDown);
    EXPECT_EQ(server.Client().Get(table + "?revision=" + pin).body, text);
    EXPECT_EQ(JsonOf(server.Client().Get("/runs")).at("runs").size(), 2u);
  }
}

}  // namespace
}  // namespace tunehub::test
