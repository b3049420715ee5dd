#include "server/service/trends/model_files.h"

#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/base/sha256.h"
#include "core/shapes/products.h"

namespace tunehub::service {
namespace {

using Json = nlohmann::json;

constexpr int kSplits[] = {8, 4, 2, 1};  // within a node

int SplitOf(const core::Model& model) {
  for (const int tp : kSplits) {
    if (core::ProductsOf(model, {tp}).ok()) return tp;
  }
  return 0;
}

}  // namespace

ModelFiles ParseModelFiles(std::string text) {
  ModelFiles files{std::move(text), "", {}};
  files.sha256 = core::Sha256Hex(files.text);
  const Json all = core::SureJson(files.text);
  for (const auto& [name, file] : all.items()) {
    auto model = core::ParseModel(name, file.get<std::string>());
    if (!model.ok()) continue;  // whoever asks for it by name is told
    const int tp = SplitOf(*model);
    if (tp > 0) files.models.push_back({*std::move(model), tp});
  }
  return files;
}

ModelFiles ReadModelFiles(const core::TextFolder& folder) {
  Json all = Json::object();
  for (const std::string& name : core::ModelNames(folder))
    all[name] = folder.Read(name + ".json").value_or("");
  return ParseModelFiles(all.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace tunehub::service
