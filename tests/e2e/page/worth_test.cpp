// What tuning is worth, computed again from /rows, /speedups and /coverage of random registries by
// a brute force that knows the definitions alone.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <sstream>
#include <vector>

#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

using Json = nlohmann::json;

constexpr const char* kCell = "model=deepseek-v3&tp=8&gfx=gfx942&cu_num=304&family=a8w8_blockscale";

struct Known {
  double m = 0, n = 0, k = 0;
  int cu_num = 304;
  std::optional<double> tuned, untuned;

  // Of MI300X (304 CUs) and MI300A: 5.3 TB/s, 2614.9 and 1961.2 TFLOPS.
  double roofline() const {
    const double peak = cu_num == 304 ? 2614.9 : 1961.2;
    return std::max(2 * m * n * k / peak / 1e6, (m * k + n * k + 2 * m * n) / 5300 / 1e3);
  }
  auto size() const { return std::tie(cu_num, n, k, m); }
};

struct Line {
  double m = 0, n = 0, k = 0, row_m = 0;
  std::string state;
  double demand = 0;
};

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double Far(const Known& a, const Known& b) {
  return std::hypot(std::log2(a.m / b.m), std::log2(a.n / b.n), std::log2(a.k / b.k));
}

// From what the hub tells, the definitions of docs/analysis.md.
struct Truth {
  std::vector<Known> keys;  // by size

  std::vector<Known> Others(const Known& asked) const {
    std::vector<Known> others;
    for (const Known& it : keys)
      if (it.size() != asked.size()) others.push_back(it);
    return others;
  }
  std::optional<double> Neighbour(const Known& asked, bool same) const {
    std::optional<double> best;
    double least = 1e9;
    for (const Known& it : Others(asked)) {
      const double far = Far(it, asked);
      if (it.cu_num != asked.cu_num || !it.tuned || far > 2 + 1e-9 || far > least - 1e-9 ||
          (it.n == asked.n && it.k == asked.k) != same)
        continue;
      least = far;
      best = *it.tuned * asked.roofline() / it.roofline();
    }
    return best;
  }
  std::optional<double> Sibling(const Known& asked) const {
    std::vector<double> ratios;
    std::optional<double> there;
    for (const Known& a : Others(asked)) {
      if (!a.tuned) continue;
      if (a.cu_num != asked.cu_num && a.m == asked.m && a.n == asked.n && a.k == asked.k)
        there = a.tuned;
      for (const Known& b : Others(asked)) {
        if (a.cu_num == asked.cu_num && b.cu_num != a.cu_num && b.tuned && a.m == b.m &&
            a.n == b.n && a.k == b.k)
          ratios.push_back(*a.tuned / *b.tuned);
      }
    }
    if (!there || ratios.size() < 5) return std::nullopt;
    return *there * MedianOf(ratios);
  }
  std::optional<double> ByShare(const Known& asked) const {
    std::vector<double> shares;
    for (const Known& it : Others(asked))
      if (it.cu_num == asked.cu_num && it.tuned) shares.push_back(it.roofline() / *it.tuned);
    if (shares.size() < 5) return std::nullopt;
    return asked.roofline() / MedianOf(shares);
  }
  std::optional<double> Tuned(const Known& asked, int basis) const {
    return basis < 2 ? Neighbour(asked, basis == 0) : basis == 2 ? Sibling(asked) : ByShare(asked);
  }
  std::optional<double> Default(const Known& asked, double tuned) const {
    std::optional<double> best;
    double least = 1e9;
    for (const Known& it : Others(asked)) {
      if (!it.tuned || !it.untuned || Far(it, asked) > least - 1e-9) continue;
      least = Far(it, asked);
      best = tuned * *it.untuned / *it.tuned;
    }
    return best;
  }

  struct Error {
    std::size_t keys = 0;
    double error = 0, low = 0, high = 0;
    bool sure() const { return keys >= 5 && error <= 0.25; }
  };
  Error Judge(int basis, bool measured) const {
    std::vector<double> errors, off;
    for (const Known& key : keys) {
      const auto tuned = key.tuned && key.untuned ? Tuned(key, basis) : std::nullopt;
      if (!tuned) continue;
      const auto untuned = measured ? key.untuned : Default(key, *tuned);
      if (!untuned) continue;
      const double brought = *key.untuned - *key.tuned;
      errors.push_back(std::abs((*untuned - *tuned) / brought - 1));
      off.push_back((brought - (*untuned - *tuned)) / *tuned);
    }
    if (errors.empty()) return {};
    std::sort(off.begin(), off.end());
    const auto last = static_cast<double>(off.size() - 1);
    return {errors.size(), MedianOf(errors), off[static_cast<std::size_t>(0.1 * last + 0.5)],
            off[static_cast<std::size_t>(0.9 * last + 0.5)]};
  }
};

class WorthTest : public HubTest {
 protected:
  static std::vector<std::vector<std::string>> CsvAt(const std::string& path) {
    std::istringstream text(Open().Get(path).body);
    std::vector<std::vector<std::string>> rows;
    for (std::string line; std::getline(text, line);) {
      std::vector<std::string>& cells = rows.emplace_back();
      std::istringstream rest(line);
      for (std::string cell; std::getline(rest, cell, ',');) cells.push_back(cell);
    }
    rows.erase(rows.begin());
    return rows;
  }

  static std::vector<Line> Lines() {
    std::vector<Line> lines;
    for (const auto& it : CsvAt(std::string("/coverage?") + kCell + "&format=csv")) {
      const std::string row_m = it.size() > 6 ? it[6] : "";
      lines.push_back({std::stod(it[0]), std::stod(it[1]), std::stod(it[2]),
                       row_m.empty() ? 0 : std::stod(row_m), it[3], std::stod(it[4])});
    }
    return lines;
  }

  static Truth Told() {
    std::map<std::string, double> defaults;
    for (const auto& it : CsvAt("/speedups?gfx=gfx942&format=csv&limit=100000"))
      if (!it[4].empty()) defaults[it[1] + " " + it[2]] = std::stod(it[4]);
    Truth truth;
    const Json rows = JsonOf(Open().Get("/rows/a8w8_blockscale?limit=1000"));
    EXPECT_EQ(rows.at("rows").size(), rows.at("total").get<std::size_t>());
    for (const Json& row : rows.at("rows")) {
      Known key{row.at("M"), row.at("N"), row.at("K"), row.at("cu_num"), {}, {}};
      const double us = row.at("us");
      (row.at("baseline") == true ? key.untuned : key.tuned) = us;
      const auto measured =
          defaults.find("gfx942:" + std::to_string(key.cu_num) + " M=" + row.at("M").dump() +
                        " N=" + row.at("N").dump() + " K=" + row.at("K").dump());
      if (measured != defaults.end()) key.untuned = measured->second;
      truth.keys.push_back(key);
    }
    std::sort(truth.keys.begin(), truth.keys.end(),
              [](const Known& a, const Known& b) { return a.size() < b.size(); });
    return truth;
  }

  // A third of the shapes up to M 256 is tuned, some with their default, some have nothing else.
  static void Fill(std::uint32_t seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> percent(0, 99);
    const int run = JsonOf(Submitter().Post("/runs", R"({"host":"a"})")).at("id");
    std::vector<Json> rows;
    for (const Line& line : Lines()) {
      for (const int cu_num : {304, 228}) {
        if (line.m > 256 || percent(random) > 35) continue;
        const Known key{line.m, line.n, line.k, cu_num, {}, {}};
        // Hundredths, as /speedups tells them; nobody is faster than the roofline.
        const auto near = [&](double factor) {
          return std::round((5 + key.roofline() * factor) * 100) / 100;
        };
        const double tuned = near(1.5 + percent(random) / (seed % 2 == 0 ? 100.0 : 1000.0));
        const double untuned = tuned + near(1 + percent(random) / 100.0);
        const int kind = percent(random);
        const auto add = [&](double us, bool is_default) {
          rows.push_back({{"gfx", "gfx942"},
                          {"cu_num", cu_num},
                          {"M", line.m},
                          {"N", line.n},
                          {"K", line.k},
                          {"libtype", "ck"},
                          {"kernelId", 1},
                          {"splitK", 0},
                          {"us", us},
                          {"kernelName", is_default ? "a8w8_blockscale_1x128x128_default"
                                                    : "a8w8_blockscale_1x128x128_tuned"},
                          {"is_default", is_default}});
        };
        if (kind < 80) add(tuned, false);
        if (kind > 45) add(std::round(untuned * 100) / 100, true);
      }
    }
    const auto sent =
        Submitter().Post(kResults + "?run=" + std::to_string(run), Json{{"rows", rows}}.dump(),
                         {{"Content-Type", "application/json"}});
    ASSERT_EQ(sent.status, 200) << sent.body;
  }

  static void Check(const Json& group, const std::vector<Line>& all, const Truth& truth);
};

int BucketOfM(double m) {
  return static_cast<int>(std::ceil(std::log2(m)));
}

void Near(const Json& found, double expected, const std::string& what) {
  ASSERT_TRUE(found.is_number()) << what << ": " << found;
  EXPECT_NEAR(found.get<double>(), expected, 2e-6 + 1e-6 * std::abs(expected)) << what;
}

void WorthTest::Check(const Json& group, const std::vector<Line>& all, const Truth& truth) {
  const double n = std::stod(group.at("shape").at("N").get<std::string>());
  const double k = std::stod(group.at("shape").at("K").get<std::string>());
  const std::string what = group.at("layer").get<std::string>() + " ";
  std::map<int, double> demand;  // of the family, by bucket
  std::map<int, double> shapes;  // of the group
  for (const Line& line : all) {
    demand[BucketOfM(line.m)] += line.demand;
    if (line.n == n && line.k == k) ++shapes[BucketOfM(line.m)];
  }
  double missed = 0;
  for (const auto& [bucket, count] : shapes) missed += demand[bucket];
  double lost = 0, brought = 0, worth = 0, low = 0, high = 0, least = 1e9;
  std::size_t without = 0, estimated = 0, tuned_shapes = 0;
  bool sure = true;
  for (const Line& line : all) {
    if (line.n != n || line.k != k) continue;
    const int bucket = BucketOfM(line.m);
    const double weight =
        (missed > 0 ? demand[bucket] / missed : 1.0 / static_cast<double>(shapes.size())) /
        shapes[bucket] / line.m * group.at("layers").get<double>();
    const bool open = line.state == "missing" || line.state == "baseline";
    Known asked{open ? line.m : line.row_m, n, k, 304, {}, {}};
    for (const Known& it : truth.keys)
      if (it.size() == asked.size()) asked = it;
    if (!open) {
      ++tuned_shapes;
      lost += (*asked.tuned - asked.roofline()) * weight;
      least = std::min(least, asked.roofline() / *asked.tuned);
      if (asked.untuned) brought += (*asked.untuned - *asked.tuned) * weight;
      continue;
    }
    int basis = 0;
    std::optional<double> tuned;
    while (basis < 4 && !(tuned = truth.Tuned(asked, basis))) ++basis;
    const auto untuned = asked.untuned ? asked.untuned
                         : tuned       ? truth.Default(asked, *tuned)
                                       : std::nullopt;
    const Truth::Error error =
        basis < 4 ? truth.Judge(basis, asked.untuned.has_value()) : Truth::Error{};
    if (!tuned || !untuned || error.keys == 0) {
      ++without;
      continue;
    }
    ++estimated;
    sure = sure && error.sure();
    const double us = tuned.value_or(0), saved = *untuned - us;
    worth += saved * weight;
    low += (saved + (error.sure() ? 0 : error.low * us)) * weight;
    high += (saved + (error.sure() ? 0 : error.high * us)) * weight;
  }
  EXPECT_EQ(group.at("shapes").at("slow"), tuned_shapes) << what;
  EXPECT_EQ(group.at("without_basis"), without) << what;
  if (tuned_shapes > 0) {
    Near(group.at("lost_us"), lost, what + "lost");
    Near(group.at("roofline").at("share"), least, what + "share");
  }
  if (brought != 0) Near(group.at("brought").at("us"), brought, what + "brought");
  EXPECT_EQ(group.at("worth").is_null(), estimated == 0) << what;
  if (estimated == 0) return;
  EXPECT_EQ(group.at("worth").at("shapes"), estimated) << what;
  Near(group.at("worth").at("low"), low, what + "low");
  Near(group.at("worth").at("high"), high, what + "high");
  if (sure) return Near(group.at("worth").at("us"), worth, what + "worth");
  EXPECT_TRUE(group.at("worth").at("us").is_null()) << what << "a range stands in its place";
}

TEST_F(WorthTest, is_what_the_rows_the_speedups_and_the_coverage_come_to) {
  const std::string path = std::string("/worth?") + kCell + "&limit=100";
  const Json nothing = JsonOf(Open().Get(path));
  EXPECT_TRUE(nothing.at("totals").at("worth").is_null()) << "nothing is made up";
  EXPECT_TRUE(nothing.at("totals").at("gpu_seconds").is_null());
  // The later seeds add to what the earlier ones measured; then some shapes are missed.
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    Fill(seed);
    if (seed == 3) {
      const auto missed = Submitter().Post("/untuned/a8w8_blockscale?gfx=gfx942&cu_num=304",
                                           "M,N,K,count\n1,2112,7168,900\n64,2112,7168,40\n");
      ASSERT_EQ(missed.status, 200) << missed.body;
    }
    const std::vector<Line> lines = Lines();
    const Truth truth = Told();
    const Json answer = JsonOf(Open().Get(path));
    ASSERT_GT(answer.at("groups").size(), 3U);
    double worth = 0;
    for (const Json& group : answer.at("groups")) {
      Check(group, lines, truth);
      if (!group.at("worth").is_null()) worth += group.at("worth").at("high").get<double>();
    }
    Near(answer.at("totals").at("worth").at("high"), worth, "the sum");
  }
}

TEST_F(WorthTest, is_sorted_filtered_and_cut_by_the_server) {
  const std::string path = std::string("/worth?") + kCell;
  const Json all = JsonOf(Open().Get(path + "&sort=share&state=slow&limit=100"));
  double last = 0;
  for (const Json& group : all.at("groups")) {
    EXPECT_GT(group.at("shapes").at("slow"), 0);
    EXPECT_GE(group.at("roofline").at("share").get<double>(), last);
    last = group.at("roofline").at("share");
  }
  const Json second = JsonOf(Open().Get(path + "&sort=share&state=slow&limit=1&offset=1"));
  EXPECT_EQ(second.at("groups").at(0), all.at("groups").at(1));
  EXPECT_EQ(second.at("matching"), all.at("matching"));
  EXPECT_EQ(Verdict(Open().Get(path + "&sort=price")), "400 bad_parameter");
  EXPECT_EQ(Verdict(Open().Get(path + "&product=MI355X")), "400 bad_parameter");
  EXPECT_EQ(Verdict(Open().Get("/worth?model=none&gfx=gfx942")),
            Verdict(Open().Get("/coverage?model=none&gfx=gfx942")));
  const Json faster = JsonOf(Open().Get(path + "&product=MI325X&sort=share&state=slow"));
  EXPECT_LT(faster.at("groups").at(0).at("roofline").at("share"),
            all.at("groups").at(0).at("roofline").at("share"))
      << "the same time is further from 6 TB/s than from 5.3";
}

TEST_F(WorthTest, makes_jobs_of_what_it_says_and_tells_what_jobs_took) {
  const HttpClient admin = server_->Client(server_->NewKey("admin"));
  const std::string path = std::string("/worth?") + kCell;
  const Json before = JsonOf(Open().Get(path));
  const Json& family = before.at("families").at(0);
  const auto plan = [&](const char* purpose, const std::string& query) {
    const Json body = {{"gfx", "gfx942"},
                       {"cu_num", 304},
                       {"family", "a8w8_blockscale"},
                       {"purpose", purpose},
                       {"from", {{{"model", "deepseek-v3"}, {"tp", 8}, {"max_m", 16384}}}}};
    return JsonOf(
        admin.Post("/jobs/plan" + query, body.dump(), {{"Content-Type", "application/json"}}));
  };
  const auto shapes = [](const Json& planned) {
    std::size_t sum = 0;
    for (const Json& job : planned.at("jobs")) sum += job.at("shapes").get<std::size_t>();
    return sum;
  };
  const Json& open = family.at("shapes");
  const std::size_t measure = family.at("to_measure");
  EXPECT_GT(measure, 0U);
  EXPECT_EQ(shapes(plan("measure", "?dry_run=1")), measure);
  const Json tune = plan("tune", "?dry_run=1");
  // A shape that a padded M finds has no row of its own: it can be tuned, too.
  EXPECT_GE(shapes(tune), open.at("missing").get<std::size_t>());
  EXPECT_EQ(JsonOf(Open().Get("/jobs")).at("jobs").size(), 0U) << "looked at, not made";
  EXPECT_EQ(shapes(plan("measure", "")), measure);
  EXPECT_EQ(JsonOf(Open().Get("/jobs")).at("jobs").at(0).at("purpose"), "measure");

  const auto json = [&](const std::string& where, const Json& body) {
    return JsonOf(admin.Post(where, body.dump(), {{"Content-Type", "application/json"}}));
  };
  const Json made = json(
      "/jobs",
      {{"family", "a8w8_blockscale"},
       {"gfx", "gfx942"},
       {"cu_num", 304},
       {"priority", 9},
       {"shapes", {{{"M", 16}, {"N", 1111}, {"K", 2222}}, {{"M", 32}, {"N", 1111}, {"K", 2222}}}}});
  const Json claimed = json("/jobs/claim", {{"agent", "a"}, {"gfx", "gfx942"}, {"cu_num", 304}});
  ASSERT_EQ(claimed.at("id"), made.at("id")) << claimed;
  const std::string job = "/jobs/" + made.at("id").dump();
  json(job + "/complete", {{"agent", "a"}, {"epoch", claimed.at("lease").at("epoch")}});
  const Json after = JsonOf(Open().Get(path));
  const Json& cost = after.at("families").at(0).at("cost");
  EXPECT_EQ(cost.at("basis"), "family_on_target") << cost;
  EXPECT_EQ(cost.at("shapes"), 2);
  const double open_shapes = open.at("missing").get<double>() + open.at("baseline").get<double>();
  EXPECT_NEAR(after.at("totals").at("gpu_seconds").get<double>(),
              cost.at("seconds_per_shape").get<double>() * open_shapes, 0.01 * open_shapes);
  // Another target has none of its own: any is better than nothing, and it says so.
  const Json other =
      JsonOf(Open().Get("/worth?model=deepseek-v3&tp=8&gfx=gfx950&family=a8w8_blockscale"));
  EXPECT_EQ(other.at("families").at(0).at("cost").at("basis"), "any");
}

}  // namespace
}  // namespace tunehub::test
