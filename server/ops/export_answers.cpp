#include "server/ops/export_answers.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <functional>

#include "core/base/read_json.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

std::map<TableTarget, Json> ByTarget(const Json& rows) {
  std::map<TableTarget, Json> files;
  for (const Json& row : rows) {
    Json& file = files[TargetOf(row)];
    if (file.is_null()) file = {{"columns", Json::array()}, {"rows", Json::array()}};
    Json cells = Json::array();
    for (const auto& [name, cell] : row.items()) {
      if (file["rows"].empty()) file["columns"].push_back(name);
      cells.push_back(cell);
    }
    file["rows"].push_back(std::move(cells));
  }
  return files;
}

}  // namespace

core::Result<Json> WriteRows(const RevisionRows& of, Folder& folder) {
  Json written = Json::object();
  for (const auto& [family, rows] : of.families) {
    for (const auto& [target, content] : ByTarget(rows.rows)) {
      const std::string file = fmt::format("data/rows/{}/{}.json", family, NameOf(target));
      written[family].push_back(file);
      if (core::Status status = folder.Write(file, content.dump()); !status.ok())
        return status.error();
    }
  }
  return written;
}

namespace {

using Json = nlohmann::ordered_json;

// The states of shapes that the coverage view lists.
constexpr const char* kNotTuned = "missing,baseline,unmeasured";

// Lines of a list of speed-ups: as many as the interface gives at most.
constexpr int kMostSpeedups = 100'000;

class Answers {
 public:
  Answers(const HubReader& reader, const RevisionRows& of, Folder& folder)
      : reader_(reader), of_(of), folder_(folder) {
    for (const auto& [family, rows] : of.families) {
      for (const TableTarget& target : rows.targets) families_on_[target].push_back(family);
    }
  }

  core::Status Write() {
    for (const auto part : {&Answers::Lists, &Answers::Runs, &Answers::Speedups,
                            &Answers::ModelCoverage, &Answers::Coverage, &Answers::Trends}) {
      if (core::Status status = (this->*part)(); !status.ok()) return status;
    }
    const auto rows = WriteRows(of_, folder_);
    if (!rows.ok()) return rows.error();
    return folder_.Write(kAnswersFile, Json{{"answers", answers_}, {"rows", *rows}}.dump());
  }

 private:
  // The answer to `path` with `query`, under the address that the dashboard has for it.
  core::Status Keep(const std::string& file, const std::string& path, const http::Fields& query,
                    const std::string& address) {
    const auto answer = reader_.Get(path, query);
    if (!answer.ok()) return answer.error();
    return Keep(file, *answer, address);
  }
  core::Status Keep(const std::string& file, const http::Response& answer,
                    const std::string& address) {
    answers_[address] = file;
    return folder_.Write(file, *answer.body);
  }
  core::Status Keep(const std::string& file, const std::string& path,
                    const http::Fields& query = {}) {
    return Keep(file, path, query, AddressOf(path, query));
  }

  core::Status Lists() {
    for (const char* name : {"tuned", "families", "targets", "models"}) {
      const core::Status status = Keep(fmt::format("data/{}.json", name), fmt::format("/{}", name));
      if (!status.ok()) return status;
    }
    core::Status overview =
        Keep("data/overview.json", "/overview", {{"tp", std::to_string(kUsualTp)}});
    if (!overview.ok()) return overview;
    core::Status demand = Keep("data/demand.json", "/demand", {{"limit", "10"}, {"tuned", "no"}});
    if (!demand.ok()) return demand;
    // Of what is written meanwhile, nothing.
    return Keep("data/revisions.json", "/revisions",
                {{"before", std::to_string(of_.revision.number + 1)}, {"limit", "50"}},
                "/revisions");
  }

  core::Status Runs() {
    const http::Fields query = {{"counts", "1"}, {"limit", std::to_string(kMostRuns)}};
    const auto list = reader_.GetJson("/runs", query);
    if (!list.ok()) return list.error();
    for (const Json& run : list->at("runs")) {
      const std::string id = run.at("id").dump();
      const core::Status status =
          Keep(fmt::format("data/runs/{}.json", id), fmt::format("/runs/{}", id));
      if (!status.ok()) return status;
    }
    return Keep("data/runs.json", "/runs", query, "/runs");
  }

  // With and without the list of the keys.
  core::Status Speedup(const std::string& name, http::Fields query) {
    const std::string file = fmt::format("data/speedups/{}", name);
    if (core::Status status = Keep(file + ".json", "/speedups", query); !status.ok()) return status;
    query.emplace_back("format", "csv");
    const std::string address = AddressOf("/speedups", query);
    query.emplace_back("limit", std::to_string(kMostSpeedups));
    const auto list = reader_.Get("/speedups", query);
    if (!list.ok()) return list.error();
    for (const auto& [header, value] : list->headers) {
      if (header != "Tunehub-Left-Out" || value == "0") continue;
      spdlog::warn("{}.csv: {} keys beyond the first {} are left out", file, value, kMostSpeedups);
    }
    return Keep(file + ".csv", *list, address);
  }

  core::Status Speedups() {
    if (core::Status status = Speedup("all", {}); !status.ok()) return status;
    for (const auto& [family, rows] : of_.families) {
      if (core::Status status = Speedup(family, {{"family", family}}); !status.ok()) return status;
    }
    for (const auto& [target, families] : families_on_) {
      http::Fields query = QueryOf(target);
      const std::string name = NameOf(target);
      if (core::Status status = Speedup(name, query); !status.ok()) return status;
      query.emplace_back("family", "");
      for (const std::string& family : families) {
        query.back().second = family;
        const core::Status status = Speedup(fmt::format("{}/{}", name, family), query);
        if (!status.ok()) return status;
      }
    }
    return EachModel([&](const std::string& model) {
      return Speedup(fmt::format("models/{}", model), {{"model", model}});
    });
  }

  core::Status EachModel(const std::function<core::Status(const std::string&)>& use) {
    const auto list = reader_.GetJson("/models");
    if (!list.ok()) return list.error();
    for (const Json& item : list->at("models")) {
      if (core::Status status = use(item.at("model").get<std::string>()); !status.ok())
        return status;
    }
    return core::Ok();
  }

  core::Status ModelCoverage() {
    const std::string tp = std::to_string(kUsualTp);
    const std::string file = "data/coverage/models";
    if (core::Status status = Keep(file + ".json", "/coverage/models", {{"tp", tp}}); !status.ok())
      return status;
    for (const auto& [target, families] : families_on_) {
      for (const std::string& family : families) {
        http::Fields query = QueryOf(target);
        query.insert(query.end(), {{"family", family}, {"tp", tp}});
        const core::Status status = Keep(fmt::format("{}/{}/{}.json", file, NameOf(target), family),
                                         "/coverage/models", query);
        if (!status.ok()) return status;
      }
    }
    return core::Ok();
  }

  core::Status Coverage() {
    return EachModel([&](const std::string& model) {
      for (const auto& [target, families] : families_on_) {
        if (core::Status status = CoverageOf(model, target); !status.ok()) return status;
      }
      return core::Ok();
    });
  }

  // A model whose heads cannot be split so, or a target whose CU count nobody knows: the server has
  // no answer for it either.
  static bool HasNone(const core::Error& error, const TableTarget& target) {
    return error.code == "bad_tp" || (error.code == "bad_parameter" && target.cu_num == 0);
  }

  core::Status CoverageOf(const std::string& model, const TableTarget& target) {
    http::Fields query = QueryOf(target);
    query.insert(query.end(), {{"model", model}, {"tp", std::to_string(kUsualTp)}});
    const std::string file = fmt::format("data/coverage/{}/{}", model, NameOf(target));
    const auto answer = reader_.Get("/coverage", query);
    if (!answer.ok())
      return HasNone(answer.error(), target) ? core::Ok() : core::Status(answer.error());
    if (core::Status status = Keep(file + ".json", *answer, AddressOf("/coverage", query));
        !status.ok())
      return status;
    query.insert(query.end(), {{"format", "csv"}, {"state", kNotTuned}});
    query.emplace_back("family", "");
    const Json coverage = core::SureJsonAs<Json>(*answer->body);
    for (const Json& item : coverage.at("families")) {
      query.back().second = item.at("family").get<std::string>();
      const core::Status status =
          Keep(fmt::format("{}/{}.csv", file, query.back().second), "/coverage", query);
      if (!status.ok()) return status;
    }
    return core::Ok();
  }

  // Of each target, of each of its families, and of each model on it.
  core::Status Trends() {
    for (const auto& [target, families] : families_on_) {
      if (target.cu_num == 0) continue;
      const std::string file = "data/trends/" + NameOf(target);
      http::Fields query = QueryOf(target);
      if (core::Status status = Keep(file + ".json", "/trends", query); !status.ok()) return status;
      const auto keep = [&](const char* of, const std::string& name) {
        http::Fields asked = query;
        asked.emplace_back(of, name);
        return Keep(fmt::format("{}/{}/{}.json", file, of, name), "/trends", asked);
      };
      for (const std::string& family : families) {
        if (core::Status status = keep("family", family); !status.ok()) return status;
      }
      const core::Status models =
          EachModel([&](const std::string& model) { return keep("model", model); });
      if (!models.ok()) return models;
    }
    return core::Ok();
  }

  const HubReader& reader_;
  const RevisionRows& of_;
  Folder& folder_;
  std::map<TableTarget, std::vector<std::string>> families_on_;
  Json answers_ = Json::object();
};

}  // namespace

core::Status WriteAnswers(const HubReader& reader, const RevisionRows& of, Folder& folder) {
  return Answers(reader, of, folder).Write();
}

}  // namespace tunehub::server
