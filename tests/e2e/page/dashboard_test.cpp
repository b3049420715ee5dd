// Requests that only the dashboard sends: pages of rows, search, compressed JSON.
#include "tests/e2e/hub_fixture.h"
#include "tests/support/gzip.h"

namespace tunehub::test {
namespace {

using testing::ElementsAre;

class DashboardTest : public HubTest {
 protected:
  static void SetUpTestSuite() {
    HubTest::SetUpTestSuite();
    std::string rows;
    for (int m = 1; m <= 40; ++m) rows += Row(m, "6.0", m > 30 ? "gfx950" : "gfx942");
    Good(Submitter().Post(kResults, kHeader + rows));
  }
  static std::vector<int> Ms(const nlohmann::json& page) {
    std::vector<int> ms;
    for (const auto& row : page.at("rows")) ms.push_back(row.at("M"));
    return ms;
  }
};

TEST_F(DashboardTest, rows_page_in_the_order_of_the_table_and_say_how_many_there_are) {
  std::vector<int> ms;
  std::string target = "/rows/a8w8_blockscale?gfx=gfx942&limit=7";
  for (int pages = 0; !target.empty(); ++pages) {
    const RawAnswer answer = Good(Open().Get(target));
    const auto page = JsonOf(answer);
    EXPECT_EQ(page.at("total"), 30);
    for (const int m : Ms(page)) ms.push_back(m);
    target = answer.NextPage();
    EXPECT_EQ(target.empty(), pages == 4);
  }
  ASSERT_EQ(ms.size(), 30U);
  for (int m = 1; m <= 30; ++m) EXPECT_EQ(ms[static_cast<std::size_t>(m - 1)], m);
}

TEST_F(DashboardTest, rows_are_filtered_by_columns_and_by_a_text_in_any_case) {
  const auto some = JsonOf(Open().Get("/rows/a8w8_blockscale?M=3&M=35"));
  EXPECT_THAT(Ms(some), ElementsAre(3, 35));
  EXPECT_EQ(some.at("rows")[0].at("kernelName"), kKernel);
  EXPECT_EQ(some.at("rows")[0].at("standing"), "measured");
  EXPECT_EQ(JsonOf(Open().Get("/rows/a8w8_blockscale?contains=INTRAWAVE_V1")).at("total"), 40);
  EXPECT_EQ(JsonOf(Open().Get("/rows/a8w8_blockscale?contains=intrawave_v9")).at("total"), 0);
}

TEST_F(DashboardTest, a_wrong_question_about_rows_is_refused_by_name) {
  const std::pair<const char*, const char*> wrong[] = {
      {"/rows/a8w8_blockscale?after=xyz", "after: 'xyz'"},
      {"/rows/a8w8_blockscale?limit=0", "limit: '0'"},
      {"/rows/a8w8_blockscale?revision=1", "unknown filter of rows 'revision'"},
      {"/rows/a8w8_blockscale?colour=red", "unknown filter of rows 'colour'"},
      {"/rows/a9w9", "a8w8_blockscale"},
      {"/rows/a8w8_blockscale?sort=colour", "sort: 'colour': expected a column"},
      {"/rows/a8w8_blockscale?after=-1", "after: '-1'"},
      {"/search", "q: is missing"},
  };
  for (const auto& [target, detail] : wrong) {
    const RawAnswer answer = Open().Get(target);
    EXPECT_GE(answer.status, 400) << target;
    EXPECT_THAT(answer.body, HasSubstr(detail)) << target;
  }
}

TEST_F(DashboardTest, rows_are_sorted_by_a_column_as_numbers_over_all_pages) {
  const std::string sorted = "/rows/a8w8_blockscale?gfx=gfx942&limit=20&sort=";
  const RawAnswer falling = Open().Get(sorted + "-M");
  std::vector<int> ms = Ms(JsonOf(falling));
  ASSERT_EQ(ms.size(), 20U);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(ms[static_cast<std::size_t>(i)], 30 - i);
  ASSERT_THAT(falling.NextPage(), HasSubstr("after=20"));
  const RawAnswer rest = Open().Get(falling.NextPage());
  EXPECT_THAT(Ms(JsonOf(rest)), ElementsAre(10, 9, 8, 7, 6, 5, 4, 3, 2, 1));
  EXPECT_EQ(rest.Header("link"), "");
  EXPECT_EQ(JsonOf(rest).at("total"), 30);
  // Rows with equal cells stay in the table's order. An offset also works without a sort.
  EXPECT_EQ(Ms(JsonOf(Open().Get(sorted + "-us")))[0], 1);
  EXPECT_EQ(Ms(JsonOf(Open().Get("/rows/a8w8_blockscale?gfx=gfx942&after=28")))[0], 29);
  EXPECT_TRUE(Ms(JsonOf(Open().Get("/rows/a8w8_blockscale?gfx=gfx942&after=99"))).empty());
}

TEST_F(DashboardTest, search_finds_names_in_any_spelling_and_runs_and_revisions_by_their_numbers) {
  for (const char* spelling : {"deepseek%20v3", "DeepSeek-V3", "deepseekv3"}) {
    const auto models = JsonOf(Open().Get(std::string("/search?q=") + spelling)).at("models");
    EXPECT_THAT(models, testing::Contains("deepseek-v3")) << spelling;
  }
  for (const char* spelling : {"MI300X", "mi%20300x", "Instinct%20MI300X"}) {
    const auto products = JsonOf(Open().Get(std::string("/search?q=") + spelling)).at("products");
    ASSERT_FALSE(products.empty()) << spelling;
    EXPECT_EQ(products[0].at("product"), "MI300X");
    EXPECT_EQ(products[0].at("cu_num"), 304);
  }
  const auto run = Submitter().Post("/runs", R"({"host":"Node7","campaign":"spring"})");
  const auto id = JsonOf(run).at("id");
  for (const std::string& text : {"run%20" + id.dump(), id.dump(), std::string("nODE7")}) {
    const auto runs = JsonOf(Open().Get("/search?q=" + text)).at("runs");
    ASSERT_FALSE(runs.empty()) << text;
    EXPECT_EQ(runs[0].at("id"), id) << text;
  }
  const auto one = JsonOf(Open().Get("/search?q=revision%201"));
  EXPECT_EQ(one.at("revisions"), nlohmann::json({1}));
  EXPECT_EQ(one.at("runs"), nlohmann::json::array());
  EXPECT_EQ(JsonOf(Open().Get("/search?q=99999999")).at("revisions"), nlohmann::json::array());
  // A search for only punctuation finds nothing.
  EXPECT_EQ(JsonOf(Open().Get("/search?q=--")).at("models"), nlohmann::json::array());
}

TEST_F(DashboardTest, search_finds_families_models_kernels_and_shapes) {
  const auto families = JsonOf(Open().Get("/search?q=BLOCKSCALE")).at("families");
  ASSERT_FALSE(families.empty());
  EXPECT_EQ(families[0].at("family"), "a4w4_blockscale");
  EXPECT_EQ(JsonOf(Open().Get("/search?q=qwen3-vl-32")).at("models"),
            nlohmann::json({"qwen3-vl-32b", "Qwen/Qwen3-VL-32B-Instruct-FP8"}));
  // Words in any order. "VL" is also in the name of a product, H100 NVL.
  const auto qwen = JsonOf(Open().Get("/search?q=fp8%2032b%20vl%20qwen3"));
  EXPECT_EQ(qwen.at("models"), nlohmann::json({"Qwen/Qwen3-VL-32B-Instruct-FP8"}));
  EXPECT_TRUE(qwen.at("places").empty()) << qwen.at("places");
  const auto kernels = JsonOf(Open().Get("/search?q=16x64x256")).at("kernels");
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].at("kernel"), kKernel);
  EXPECT_EQ(kernels[0].at("rows"), 40);
  const auto shapes = JsonOf(Open().Get("/search?q=2048x3072")).at("shapes");
  ASSERT_EQ(shapes.size(), 1U);
  EXPECT_EQ(shapes[0].at("shape"), nlohmann::json({{"N", "2048"}, {"K", "3072"}}));
  EXPECT_EQ(shapes[0].at("rows"), 40);
}

// The places that a search finds, each as "title: view?name=value&...".
std::vector<std::string> PlacesOf(const Json& hits) {
  std::vector<std::string> places;
  for (const Json& it : hits.at("places")) {
    std::string query;
    for (const auto& [name, value] : it.at("query").items())
      query += (query.empty() ? "" : "&") + name + "=" + value.get<std::string>();
    places.push_back(it.at("title").get<std::string>() + ": " + it.at("view").get<std::string>() +
                     "?" + query);
  }
  return places;
}

TEST_F(DashboardTest, words_of_several_kinds_in_any_order_name_a_page) {
  const auto first = [](const std::string& text) {
    const auto places = PlacesOf(JsonOf(Good(Open().Get("/search?q=" + text))));
    return places.empty() ? "" : places[0];
  };
  EXPECT_EQ(first("deepseek%20v3%20mi355x"),
            "DeepSeek V3 on MI355X: model?device=MI355X&model=deepseek-v3&tab=map");
  EXPECT_EQ(first("MI355X%20Qwen/Qwen3-32B%20tp%208"),
            "Qwen3 32B on MI355X, TP 8: model?device=MI355X&model=qwen3-32b&tab=map&tp=8");
  EXPECT_EQ(first("gate_up%20of%20qwen3-32b"),
            "gate_up of Qwen3 32B: model?layer=gate_up&model=qwen3-32b&tab=map");
  EXPECT_EQ(first("slower"), "What got slower: changes?from=7d&kind=slower");
  EXPECT_EQ(first("what%20got%20slower%20mi355x"),
            "What got slower: MI355X: changes?device=MI355X&from=7d&kind=slower");
  EXPECT_EQ(first("roofline%20deepseek-v3%20vllm"),
            "Roofline: DeepSeek V3, engine vllm: model?engine=vllm&model=deepseek-v3&tab=roofline");
  EXPECT_EQ(first("a8w8_blockscale%20mi355x"),
            "a8w8_blockscale on MI355X: kernels?device=MI355X&family=a8w8_blockscale");
  for (const char* text :
       {"deepseek-v3", "mi355x", "nobody%20mi355x", "--", "m%20i%203%205%205%20x"})
    EXPECT_EQ(first(text), "") << text;
}

TEST_F(DashboardTest, search_finds_layers_named_numbers_and_names_on_hugging_face) {
  const auto layers = JsonOf(Open().Get("/search?q=gate_up")).at("layers");
  ASSERT_FALSE(layers.empty());
  EXPECT_EQ(layers[0].at("layer"), "gate_up");
  EXPECT_THAT(layers[0].at("models"), testing::Contains("qwen3-32b"));
  const auto models = JsonOf(Open().Get("/search?q=Qwen/Qwen3-32B")).at("models");
  EXPECT_EQ(models[0], "qwen3-32b");
  EXPECT_THAT(models, testing::Contains("Qwen/Qwen3-32B-FP8"));
  const auto rows = [](const std::string& text) {
    const auto shapes = JsonOf(Open().Get("/search?q=" + text)).at("shapes");
    return shapes.empty() ? 0 : shapes[0].at("rows").get<int>();
  };
  EXPECT_EQ(rows("M%3D16%20K%3D3072"), 1);
  EXPECT_EQ(rows("m16,n2048"), 1);
  EXPECT_EQ(rows("16%202048%203072"), 1);
  EXPECT_EQ(rows("M%3D2048"), 0) << "2048 is N";
  EXPECT_EQ(rows("Q%3D16"), 0);
  EXPECT_EQ(rows("M%3D16%202048"), 0);
}

TEST_F(DashboardTest, a_key_without_measurements_is_no_error_for_who_asks_so) {
  const std::string target = "/shapes/a8w8_blockscale?gfx=gfx942&cu_num=80&M=1&N=7&K=9";
  EXPECT_EQ(Open().Get(target).status, 404);
  EXPECT_EQ(Open().Get(target + "&allow_empty=no").status, 400);
  const auto shape = JsonOf(Open().Get(target + "&allow_empty=1"));
  EXPECT_EQ(shape.at("measurements"), nlohmann::json::array());
}

TEST_F(DashboardTest, json_is_packed_for_whom_it_suits) {
  const RawAnswer packed = Open().Get("/rows/a8w8_blockscale", {{"Accept-Encoding", "gzip"}});
  const RawAnswer plain = Open().Get("/rows/a8w8_blockscale");
  EXPECT_EQ(packed.Header("content-encoding"), "gzip");
  EXPECT_EQ(plain.Header("content-encoding"), "");
  EXPECT_EQ(packed.Header("vary"), "Accept-Encoding");
  EXPECT_TRUE(Gunzip(packed.body) == plain.body);
}

TEST_F(DashboardTest, runs_say_what_became_of_their_rows_to_who_asks) {
  const auto receipt = JsonOf(Submitter().Post(kResults, kHeader + Row(51, "7.0") + Row(52, "-1")));
  const auto plain = JsonOf(Open().Get("/runs?limit=1")).at("runs")[0];
  EXPECT_EQ(plain.at("id"), receipt.at("run"));
  EXPECT_FALSE(plain.contains("won"));
  const auto counted = JsonOf(Open().Get("/runs?limit=1&counts=1")).at("runs")[0];
  EXPECT_EQ(counted.at("won"), receipt.at("won"));
  EXPECT_EQ(counted.at("won"), 1);
  EXPECT_EQ(counted.at("quarantined"), receipt.at("quarantined_count"));
  EXPECT_EQ(counted.at("quarantined"), 1);
  EXPECT_EQ(counted.at("families"), nlohmann::json({"a8w8_blockscale"}));
  EXPECT_EQ(Open().Get("/runs?counts=yes").status, 400);
}

}  // namespace
}  // namespace tunehub::test
