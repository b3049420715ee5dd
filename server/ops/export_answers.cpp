#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "core/base/archive.h"
#include "core/base/read_json.h"
#include "server/ops/export_tables.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAnswersFile = "data/answers.json";
// The extension of a gzip file that the page decompresses. No web server gives this extension a
// special meaning.
constexpr const char* kPacked = ".gzip";
// A longer list of runs needs a server, because each run has its own page.
constexpr int kMostRuns = 500;
// The TP of the coverage view before a user chooses another TP, as in the dashboard.
constexpr const char* kUsualTp = "8";
// The shapes that the coverage view lists, by their state.
constexpr const char* kNotTuned = "missing,baseline,unmeasured";
// The longest list of speed-ups in an answer of the interface.
constexpr int kMostSpeedups = 100'000;

class Answers {
 public:
  Answers(const HubReader& reader, const RevisionRows& of, core::FolderDraft& folder)
      : reader_(reader), of_(of), folder_(folder) {
    for (const auto& [family, rows] : of.families) {
      for (const TableTarget& target : rows.targets) families_on_[target].push_back(family);
    }
    const Json list = reader.GetJson("/models");
    for (const Json& item : list.at("models"))
      models_.push_back(item.at("model").get<std::string>());
  }

  void Write() {
    reader_.Say("dashboard: runs");
    Lists();
    Runs();
    reader_.Say("dashboard: speed-ups");
    Speedups();
    ModelCoverage();
    for (const std::string& model : models_) {
      reader_.Say("dashboard: coverage of " + model);
      for (const auto& [target, families] : families_on_) CoverageOf(model, target);
    }
    reader_.Say("dashboard: trends");
    Trends();
    for (const auto& [family, rows] : of_.families)
      Keep(fmt::format("data/rows/{}.json", family), rows.rows.dump(), "/rows/" + family);
    Pack(kAnswersFile, answers_.dump());
  }

 private:
  std::string Pack(const std::string& file, std::string_view text) {
    Sure(folder_.Write(file + kPacked, core::Gzip(text)));
    return file + kPacked;
  }
  // Stores an answer under the address by which the dashboard requests it.
  void Keep(const std::string& file, std::string_view answer, const std::string& address) {
    answers_[address] = Pack(file, answer);
  }
  void Keep(const std::string& file, const std::string& path, const http::Fields& query = {}) {
    Keep(file, *reader_.Get(path, query).body, AddressOf(path, query));
  }

  void Lists() {
    for (const char* name : {"tuned", "families", "targets", "models"})
      Keep(fmt::format("data/{}.json", name), fmt::format("/{}", name));
    Keep("data/overview.json", "/overview", {{"tp", kUsualTp}});
    Keep("data/demand.json", "/demand", {{"limit", "10"}, {"tuned", "no"}});
    // Omits revisions that are newer than the export's.
    const http::Fields query = {{"before", std::to_string(of_.revision.number + 1)},
                                {"limit", "50"}};
    Keep("data/revisions.json", *reader_.Get("/revisions", query).body, "/revisions");
  }

  void Runs() {
    const http::Fields query = {{"counts", "1"}, {"limit", std::to_string(kMostRuns)}};
    const Json list = reader_.GetJson("/runs", query);
    for (const Json& run : list.at("runs")) {
      const std::string id = run.at("id").dump();
      Keep(fmt::format("data/runs/{}.json", id), fmt::format("/runs/{}", id));
    }
    Keep("data/runs.json", *reader_.Get("/runs", query).body, "/runs");
  }

  // Stores the speed-ups with and without the list of shape keys.
  void Speedup(const std::string& name, http::Fields query) {
    const std::string file = fmt::format("data/speedups/{}", name);
    Keep(file + ".json", "/speedups", query);
    query.emplace_back("format", "csv");
    const std::string address = AddressOf("/speedups", query);
    query.emplace_back("limit", std::to_string(kMostSpeedups));
    const auto list = reader_.Get("/speedups", query);
    for (const auto& [header, value] : list.headers) {
      if (header != "Tunehub-Left-Out" || value == "0") continue;
      spdlog::warn("{}.csv: omits {} shape keys after the first {}", file, value, kMostSpeedups);
    }
    Keep(file + ".csv", *list.body, address);
  }

  void Speedups() {
    Speedup("all", {});
    for (const auto& [family, rows] : of_.families) Speedup(family, {{"family", family}});
    for (const auto& [target, families] : families_on_) {
      http::Fields query = QueryOf(target);
      const std::string name = NameOf(target);
      Speedup(name, query);
      query.emplace_back("family", "");
      for (const std::string& family : families) {
        query.back().second = family;
        Speedup(fmt::format("{}/{}", name, family), query);
      }
    }
    for (const std::string& model : models_)
      Speedup(fmt::format("models/{}", model), {{"model", model}});
  }

  void ModelCoverage() {
    const std::string path = "/coverage/models", file = "data/coverage/models";
    Keep(file + ".json", path, {{"tp", kUsualTp}});
    for (const auto& [target, families] : families_on_) {
      for (const std::string& family : families) {
        http::Fields query = QueryOf(target);
        query.insert(query.end(), {{"family", family}, {"tp", kUsualTp}});
        Keep(fmt::format("{}/{}/{}.json", file, NameOf(target), family), path, query);
      }
    }
  }

  // True if the server has no such answer, because TP cannot split the model's heads or the
  // target's CU count is unknown.
  static bool HasNone(const core::Error& error, const TableTarget& target) {
    return error.code == "bad_tp" || (error.code == "bad_parameter" && target.cu_num == 0);
  }

  void CoverageOf(const std::string& model, const TableTarget& target) {
    http::Fields query = QueryOf(target);
    query.insert(query.end(), {{"model", model}, {"tp", kUsualTp}});
    const std::string file = fmt::format("data/coverage/{}/{}", model, NameOf(target));
    auto asked = reader_.Ask("/coverage", query);
    if (!asked.ok() && HasNone(asked.error(), target)) return;
    const http::Response answer = Sure(std::move(asked));
    Keep(file + ".json", *answer.body, AddressOf("/coverage", query));
    query.insert(query.end(), {{"format", "csv"}, {"state", kNotTuned}, {"family", ""}});
    const Json coverage = core::SureJsonAs<Json>(*answer.body);
    for (const Json& item : coverage.at("families")) {
      query.back().second = item.at("family").get<std::string>();
      Keep(fmt::format("{}/{}.csv", file, query.back().second), "/coverage", query);
    }
  }

  // For each target, its families, and the models on it.
  void Trends() {
    for (const auto& [target, families] : families_on_) {
      if (target.cu_num == 0) continue;
      const std::string file = "data/trends/" + NameOf(target);
      const http::Fields query = QueryOf(target);
      Keep(file + ".json", "/trends", query);
      const auto keep = [&](const char* of, const std::string& name) {
        http::Fields asked = query;
        asked.emplace_back(of, name);
        Keep(fmt::format("{}/{}/{}.json", file, of, name), "/trends", asked);
      };
      for (const std::string& family : families) keep("family", family);
      for (const std::string& model : models_) keep("model", model);
    }
  }

  const HubReader& reader_;
  const RevisionRows& of_;
  core::FolderDraft& folder_;
  std::map<TableTarget, std::vector<std::string>> families_on_;
  std::vector<std::string> models_;
  Json answers_ = Json::object();
};

}  // namespace

void WriteAnswers(const HubReader& reader, const RevisionRows& of, core::FolderDraft& folder) {
  Answers(reader, of, folder).Write();
}

}  // namespace tunehub::server
