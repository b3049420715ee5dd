// GET /map and GET /model-time have the numbers of lookups, coverage and history.
#include <fmt/core.h>

#include <list>
#include <numeric>
#include <set>

#include "core/row/roofline.h"
#include "tests/e2e/hub_fixture.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

class ModelPage : public HubTest {
 protected:
  static void Start() {
    database_ = NewDatabase();
    server_ = std::make_unique<ServerProcess>(
        ServerOptions{.database = database_, .configs = ConfigsOfTwoModels()});
    submit_key_ = server_->NewKey("submit");
  }
  static std::string RunOf(const std::string& product) {
    return JsonOf(Submitter().Post("/runs", R"({"product":")" + product + "\"}")).at("id").dump();
  }
  static std::string Line(const std::string& shape, double us) {
    return fmt::format("gfx942,304,{},ck,8,0,{},{},0.0,0.0,0.0\n", shape, us, kKernel);
  }
  static void Send(const std::string& run, const std::string& lines) {
    ASSERT_EQ(Verdict(Submitter().Post(kResults + "?run=" + run, kHeader + lines)), "200");
  }

  static inline std::string database_;
};

class ModelMap : public ModelPage {
 protected:
  // A third of DeepSeek-V3's block-scaled shapes have a row of an MI300X. One shape has a row of an
  // MI325X, one is slower than a week ago, one has only a default, and one shape without a row has
  // demand.
  static void SetUpTestSuite() {
    Start();
    const std::string csv =
        Open().Get("/coverage?" + kAsked + "&family=a8w8_blockscale&format=csv").body;
    for (std::size_t at = csv.find('\n') + 1; at < csv.size(); at = csv.find('\n', at) + 1) {
      std::size_t end = at;
      for (int i = 0; i < 3; ++i) end = csv.find(',', end) + 1;
      shapes_.push_back(csv.substr(at, end - at - 1));
    }
    std::string lines;
    for (std::size_t i = 0; i < shapes_.size(); i += 3)
      lines += Line(shapes_[i], 9000.5 + static_cast<double>(i));
    Send(RunOf("MI300X"), lines);
    Send(RunOf("MI325X"), Line(shapes_[1], 9500));
    Execute(database_, "UPDATE revision SET created = created - interval '8 days'");
    Good(Submitter().Post(kResults, kHeader + Line(shapes_[kSlower], kSlowerUs)));
    Good(server_->Client(server_->NewKey("admin"))
             .PostJson(kResults, {{"rows", {DefaultOf(shapes_[kWithDefault])}}}));
    Execute(database_, fmt::format("INSERT INTO demand (id, family, gfx, cu_num, shape, count) "
                                   "SELECT gen_random_uuid(), id, 'gfx942', 304, '{}', 100 "
                                   "FROM family WHERE name = 'a8w8_blockscale'",
                                   ShapeOf(shapes_[kMissed]).dump()));
  }

  static Json ShapeOf(const std::string& shape) {
    const std::size_t n = shape.find(','), k = shape.rfind(',');
    return {{"M", std::stoi(shape.substr(0, n))},
            {"N", std::stoi(shape.substr(n + 1, k - n - 1))},
            {"K", std::stoi(shape.substr(k + 1))}};
  }
  static Json DefaultOf(const std::string& shape) {
    Json row = ShapeOf(shape);
    row.update({{"gfx", "gfx942"},
                {"cu_num", 304},
                {"libtype", "ck"},
                {"kernelId", 7},
                {"splitK", 0},
                {"us", kDefaultUs},
                {"kernelName", kOtherKernel},
                {"is_default", true}});
    return row;
  }
  static Json Map(const std::string& more = "") {
    return JsonOf(Open().Get("/map?" + kAsked + more));
  }
  // Calls `see(layer, index, m)` for each cell. Cells of layers with one shape come once.
  template <typename See>
  static void EachShape(const Json& map, const See& see) {
    std::set<std::string> seen;
    for (const Json& layer : map.at("layers")) {
      for (std::size_t i = 0; i < layer.at("at").size(); ++i) {
        const int m = map.at("m").at(layer.at("at")[i].get<std::size_t>()).get<int>();
        if (seen.insert(fmt::format("{} {} {}", layer.at("family").dump(),
                                    layer.at("columns").dump(), m))
                .second)
          see(layer, i, m);
      }
    }
  }
  static std::string StateOf(const Json& map, const Json& layer, std::size_t i) {
    return map.at("states").at(layer.at("state")[i].get<std::size_t>()).get<std::string>();
  }
  static std::string QueryOf(const Json& layer, int m) {
    std::string query = fmt::format("{}={}", layer.at("m_column").get<std::string>(), m);
    for (const auto& [name, value] : layer.at("columns").items())
      query +=
          fmt::format("&{}={}", name, value.is_string() ? value.get<std::string>() : value.dump());
    return query;
  }
  // Returns the layers' values of the member for one shape.
  static Json At(const Json& map, const std::string& shape, const char* member) {
    Json found;
    EachShape(map, [&](const Json& layer, std::size_t i, int m) {
      Json its = layer.at("columns");
      its["M"] = m;
      if (its == ShapeOf(shape)) found = layer.at(member)[i];
    });
    return found;
  }

  static inline const std::string kAsked = "model=deepseek-v3&tp=8&gfx=gfx942&cu_num=304";
  static constexpr std::size_t kSlower = 30, kWithDefault = 60, kMissed = 200;
  static constexpr double kSlowerUs = 15000, kDefaultUs = 20000;
  static inline std::vector<std::string> shapes_;  // "M,N,K"
};

TEST_F(ModelMap, each_cell_is_what_a_lookup_finds) {
  const Json map = Map();
  int asked = 0, found = 0, cell = 0;
  EachShape(map, [&](const Json& layer, std::size_t i, int m) {
    if (cell++ % 7 != 0) return;
    const std::string target =
        fmt::format("/lookup/{}?gfx=gfx942&cu_num=304&{}", layer.at("family").get<std::string>(),
                    QueryOf(layer, m));
    SCOPED_TRACE(target);
    const Json lookup = JsonOf(Open().Get(target));
    ++asked;
    if (lookup.at("row").is_null()) {
      EXPECT_EQ(StateOf(map, layer, i), "missing");
      EXPECT_TRUE(layer.at("us")[i].is_null());
      EXPECT_TRUE(layer.at("row_m")[i].is_null());
      return;
    }
    ++found;
    const double us = lookup.at("row").at("us").get<double>();
    EXPECT_EQ(StateOf(map, layer, i), lookup.at("step"));
    EXPECT_NEAR(layer.at("us")[i].get<double>(), us, us * 5e-4);
    EXPECT_EQ(layer.at("row_m")[i], lookup.at("row").at(layer.at("m_column").get<std::string>()));
  });
  EXPECT_GT(asked, 60);
  EXPECT_GT(found, 30);
}

TEST_F(ModelMap, states_and_shares_are_those_of_the_coverage) {
  const Json map = Map();
  const Json coverage = JsonOf(Open().Get("/coverage?" + kAsked));
  std::map<std::string, std::map<std::string, int>> counts;
  EachShape(map, [&](const Json& layer, std::size_t i, int) {
    ++counts[layer.at("family").get<std::string>()][StateOf(map, layer, i)];
  });
  EXPECT_EQ(counts.size(), coverage.at("families").size());
  for (const Json& family : coverage.at("families")) {
    auto& its = counts[family.at("family").get<std::string>()];
    for (const Json& state : map.at("states")) {
      const auto name = state.get<std::string>();
      EXPECT_EQ(its[name], family.at("totals").at(name)) << family.at("family") << name;
    }
  }
  for (const char* member : {"coverage", "unread", "findings"})
    EXPECT_EQ(map.at(member), coverage.at(member)) << member;
}

TEST_F(ModelMap, a_layer_is_counted_once_in_a_forward_pass) {
  std::map<std::string, int> counts;
  double flops = 0;
  const Json map = Map();
  for (const Json& layer : map.at("layers")) {
    counts[layer.at("layer").get<std::string>()] += layer.at("count").get<int>();
    flops += layer.at("flops").get<double>();
  }
  EXPECT_EQ(counts["experts"], 58) << "the first three of 61 layers are dense";
  const Json coverage = JsonOf(Open().Get("/coverage?" + kAsked));
  double of_pairs = 0;
  for (const Json& family : coverage.at("families")) {
    for (const Json& pair : family.at("pairs"))
      of_pairs += pair.at("flops_per_token").get<double>();
  }
  EXPECT_DOUBLE_EQ(flops, of_pairs);
}

TEST_F(ModelMap, rooflines_are_of_the_named_or_the_slowest_product) {
  const core::Devices& devices = ShippedTargets().devices();
  const core::Family& family = *ShippedFamilies().Find("a8w8_blockscale");
  for (const char* name : {"MI300X", "MI325X"}) {
    const Json map = Map(fmt::format("&product={}", name));
    EXPECT_EQ(map.at("product"), name);
    for (const std::size_t place : {std::size_t{0}, std::size_t{40}, shapes_.size() - 1}) {
      core::Cells cells(family.columns.size());
      std::list<std::string> texts;
      const Json shape = ShapeOf(shapes_[place]);
      for (const auto& [column, value] : shape.items())
        cells[family.Find(column)] = texts.emplace_back(value.dump());
      const double us =
          core::RooflineOf(family, cells, devices, "gfx942", 304, devices.Find(name))->us;
      EXPECT_NEAR(At(map, shapes_[place], "roofline_us").get<double>(), us, us * 5e-4) << name;
    }
  }
  EXPECT_EQ(Map().at("product"), "MI300X") << "an MI325X has a faster memory";
}

TEST_F(ModelMap, slower_rows_defaults_and_demand_are_at_their_shapes) {
  const Json map = Map();
  EXPECT_EQ(At(map, shapes_[kSlower], "us"), kSlowerUs);
  EXPECT_EQ(At(map, shapes_[kSlower], "slower"), 1);
  EXPECT_EQ(At(map, shapes_[kSlower + 3], "slower"), 0);
  EXPECT_EQ(At(map, shapes_[kWithDefault], "default_us"), kDefaultUs);
  EXPECT_TRUE(At(map, shapes_[kSlower], "default_us").is_null());
  EXPECT_EQ(At(map, shapes_[kMissed], "demand"), 100);
  const Json model = JsonOf(Open().Get("/overview?tp=8")).at("models").at(0);
  EXPECT_EQ(model.at("model"), "deepseek-v3");
  EXPECT_EQ(model.at("cells").at(0).at("slower"), 1);
  EXPECT_EQ(model.at("cells").at(0).at("covered"), map.at("coverage").at("covered"));
}

TEST_F(ModelMap, of_a_product_has_only_the_rows_of_its_own_runs) {
  const Json own = Map("&own=MI325X");
  EXPECT_EQ(own.at("own"), "MI325X");
  EXPECT_EQ(At(own, shapes_[1], "us"), 9500);
  int exact = 0;
  EachShape(own, [&](const Json& layer, std::size_t i, int) {
    exact += StateOf(own, layer, i) == "exact" ? 1 : 0;
  });
  EXPECT_EQ(exact, 1);
  EXPECT_TRUE(At(Map("&own=MI300X"), shapes_[1], "us").is_null());
  EXPECT_EQ(At(Map(), shapes_[1], "us"), 9500);
}

TEST_F(ModelMap, what_is_unknown_is_refused_with_the_known_names) {
  const auto refused = [](const std::string& query) {
    const RawAnswer answer = Open().Get("/map?" + query);
    return Verdict(answer) + ": " + JsonOf(answer).at("detail").get<std::string>();
  };
  EXPECT_EQ(refused("model=deepseek-v33&gfx=gfx942"),
            "404 unknown_model: unknown model 'deepseek-v33'; did you mean deepseek-v3?"
            "\nknown models: deepseek-v3, qwen3-8b; others by their config.json");
  EXPECT_THAT(refused("model=deepseek-v3&gfx=gfx942&engine=vlm"),
              HasSubstr("400 bad_parameter: engine: unknown engine 'vlm'; known engines: vllm, "));
  EXPECT_EQ(refused(kAsked + "&product=MI355X"),
            "400 bad_parameter: product: 'MI355X' is not a product of MI300X / MI325X "
            "(gfx942:304)");
  EXPECT_THAT(refused(kAsked + "&own=MI999"), HasSubstr("MI300X / MI325X (gfx942:304)"));
  EXPECT_THAT(refused("model=deepseek-v3&gfx=gfx942&tp=3"), HasSubstr("422 bad_tp"));
  EXPECT_THAT(refused("model=deepseek-v3"), HasSubstr("400 bad_parameter: gfx: is missing"));
  EXPECT_THAT(refused("gfx=gfx942"), HasSubstr("400 bad_parameter: model: is missing"));
}

// Revisions are a day apart: 1 three layers, 2 the fourth layer, 3 a faster import, 4 its revert.
class ModelTime : public ModelPage {
 protected:
  static void SetUpTestSuite() {
    Start();
    const std::string run = RunOf("MI300X");
    Send(run, Line("64,6144,4096", 100) + Line("64,4096,4096", 200) + Line("64,24576,4096", 300));
    Send(run, Line("64,4096,12288", 400));
    const Json imported = JsonOf(
        SendTree(Admin(), "source=aiter",
                 {{"run.json", "{}"},
                  {"a8w8_blockscale_tuned_gemm.csv", kHeader + Line("64,4096,12288", 150)}}));
    Good(Admin().Post("/runs/" + imported.at("run").dump() + "/revert", ""));
    Execute(database_, "UPDATE revision SET created = created - (9.5 - number) * interval '1 day'");
  }
  static Json Time(const std::string& more = "") {
    return JsonOf(Open().Get("/model-time?model=Qwen/Qwen3-8B-FP8&gfx=gfx942&cu_num=304" + more));
  }
};

TEST_F(ModelTime, is_the_sum_of_the_rows_that_were_served_then) {
  constexpr double kLayers = 36, kM = 64;
  const Json time = Time();
  EXPECT_EQ(time.at("layers"), 4);
  EXPECT_EQ(time.at("timed_in"), Json({{"decode", 4}, {"prefill", 0}}));
  EXPECT_EQ(time.at("m"), Json({{"decode", 64}, {"prefill", 8192}}));
  std::vector<double> decode;
  std::vector<int> revisions;
  for (const Json& point : time.at("points")) {
    EXPECT_TRUE(point.at("prefill").is_null());
    revisions.push_back(point.at("revision").get<int>());
    const Json& its = point.at("decode");
    decode.push_back(its.is_null() ? 0 : its.at("us").get<double>() * kM / kLayers);
    EXPECT_TRUE(its.is_null() || its.at("low").is_null()) << "no row has samples";
  }
  EXPECT_EQ(revisions, (std::vector{1, 2, 3, 4, 4}));
  EXPECT_THAT(decode,
              testing::Pointwise(testing::DoubleEq(), {0.0, 1000.0, 750.0, 1000.0, 1000.0}));
  EXPECT_EQ(time.at("default"), Json({{"decode", nullptr}, {"prefill", nullptr}}));
  std::vector<std::string> kinds;
  for (const Json& event : time.at("events")) kinds.push_back(event.at("kind"));
  EXPECT_EQ(kinds, (std::vector<std::string>{"import", "revert"}));
}

TEST_F(ModelTime, begins_with_the_state_before_the_days) {
  const Json time = Time("&days=7");
  EXPECT_EQ(time.at("points")[0].at("revision"), 2);
  EXPECT_EQ(Verdict(Open().Get("/model-time?model=qwen3-8b&gfx=gfx942&engine=any")),
            "400 bad_parameter");
}

TEST_F(ModelTime, has_an_interval_where_all_rows_have_samples) {
  std::vector<Json> rows;
  for (const auto& [n, k] : {std::pair(6144, 4096), {4096, 4096}, {24576, 4096}, {4096, 12288}}) {
    rows.push_back({{"gfx", "gfx942"},
                    {"cu_num", 304},
                    {"M", 8192},
                    {"N", n},
                    {"K", k},
                    {"libtype", "ck"},
                    {"kernelId", 8},
                    {"splitK", 0},
                    {"us", 9000},
                    {"kernelName", kKernel},
                    {"samples", {8900, 8950, 9000, 9000, 9000, 9050, 9100}}});
  }
  Good(Submitter().PostJson(kResults, {{"rows", rows}}));
  const Json time = Time();
  EXPECT_EQ(time.at("timed"), 4);
  EXPECT_TRUE(time.at("points")[0].at("prefill").is_null());
  const Json now = time.at("points").back().at("prefill");
  EXPECT_DOUBLE_EQ(now.at("us").get<double>(), 36 * 4 * 9000 / 8192.0);
  EXPECT_LT(now.at("low"), now.at("us"));
  EXPECT_GT(now.at("high"), now.at("us"));
}

}  // namespace
}  // namespace tunehub::test
