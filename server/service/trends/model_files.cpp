#include "server/service/trends/model_files.h"

#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/base/sha256.h"
#include "core/shapes/known_models.h"
#include "core/shapes/products.h"

namespace tunehub::service {
namespace {

using Json = nlohmann::json;

constexpr char kEngines[] = "engines.json";
constexpr int kSplits[] = {8, 4, 2, 1};  // within a node

int SplitOf(const core::Model& model) {
  for (const int tp : kSplits) {
    const auto plan = core::ProductsOf(model, {tp});
    if (plan.ok() && plan->Refusal() == nullptr) return tp;
  }
  return 0;
}

}  // namespace

ModelFiles ParseModelFiles(std::string text) {
  ModelFiles files{std::move(text), "", {}, nullptr};
  files.sha256 = core::Sha256Hex(files.text);
  const Json all = core::SureJson(files.text);
  for (const auto& [name, file] : all.items()) {
    if (name == kEngines) {
      auto engines = core::ParseEngineReads(name, file.get<std::string>());
      if (!engines.ok() || engines->empty()) continue;  // the server's start refuses such a file
      files.engine = std::make_shared<const core::EngineReads>(std::move(engines->front()));
      continue;
    }
    auto models = core::ParseModelFile(name, file.get<std::string>());
    if (!models.ok()) continue;  // a request for it by name gets the error
    for (core::Model& model : *models) {
      const int tp = SplitOf(model);
      if (tp > 0) files.models.push_back({std::move(model), tp});
    }
  }
  return files;
}

ModelFiles ReadModelFiles(const std::filesystem::path& folder) {
  const core::TextFolder models = folder, configs = folder.parent_path();
  Json all = Json::object();
  for (const std::string& name : core::ModelNames(models))
    all[name] = models.Read(name + ".json").value_or("");
  if (auto engines = configs.Read(kEngines)) all[kEngines] = *std::move(engines);
  return ParseModelFiles(all.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace tunehub::service
