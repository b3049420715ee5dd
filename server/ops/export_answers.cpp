#include <fmt/core.h>

#include <set>

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
// The TP before a user chooses another TP, as in the dashboard.
constexpr const char* kUsualTp = "8";

class Answers {
 public:
  Answers(const HubReader& reader, const RevisionRows& of, core::FolderDraft& folder)
      : reader_(reader), of_(of), folder_(folder) {
    for (const auto& [family, rows] : of.families)
      targets_.insert(rows.targets.begin(), rows.targets.end());
    const Json list = reader.GetJson("/models");
    for (const Json& item : list.at("models"))
      models_.push_back(item.at("model").get<std::string>());
  }

  void Write() {
    reader_.Say("dashboard: lists");
    Lists();
    Speedups();
    reader_.Say("dashboard: maps");
    Maps();
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
    for (const char* name : {"tuned", "families", "models"})
      Keep(fmt::format("data/{}.json", name), fmt::format("/{}", name));
    Keep("data/overview.json", "/overview", {{"tp", kUsualTp}});
  }

  // The speed-ups of each target.
  void Speedups() {
    for (const TableTarget& target : targets_)
      Keep(fmt::format("data/speedups/{}.json", NameOf(target)), "/speedups", QueryOf(target));
  }

  void MapOf(const std::string& model, const TableTarget& target, const std::string& product) {
    http::Fields query = QueryOf(target);
    query.insert(query.end(), {{"model", model}, {"tp", kUsualTp}});
    if (!product.empty()) query.emplace_back("product", product);
    auto map = reader_.Ask("/map", query);
    if (!map.ok() && map.error().code == "bad_tp") return;
    const auto file = fmt::format("data/map/{}/{}{}.json", model, NameOf(target), product);
    Keep(file, *Sure(std::move(map)).body, AddressOf("/map", query));
  }

  // The maps of all models on the products of the overview, each with its own roofline.
  void Maps() {
    const Json overview = reader_.GetJson("/overview", {{"tp", kUsualTp}});
    for (const Json& it : overview.at("targets")) {
      const TableTarget target{it.at("gfx").get<std::string>(), it.at("cu_num").get<int>()};
      auto products = it.at("products").get<std::vector<std::string>>();
      if (products.empty()) products.emplace_back();
      for (const std::string& product : products) {
        for (const std::string& model : models_) MapOf(model, target, product);
      }
    }
  }

  const HubReader& reader_;
  const RevisionRows& of_;
  core::FolderDraft& folder_;
  std::set<TableTarget> targets_;
  std::vector<std::string> models_;
  Json answers_ = Json::object();
};

}  // namespace

void WriteAnswers(const HubReader& reader, const RevisionRows& of, core::FolderDraft& folder) {
  Answers(reader, of, folder).Write();
}

}  // namespace tunehub::server
