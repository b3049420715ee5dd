#include "core/shapes/known_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/read_json.h"
#include "core/base/text.h"

namespace tunehub::core {
namespace {

namespace fs = std::filesystem;

constexpr char kStorageFile[] = "hf_quant_config.json";
constexpr std::size_t kNearest = 3;
constexpr std::string_view kHuggingFace = "https://huggingface.co/";

// A name without an owner may mean a checkpoint of any owner.
std::size_t DistanceOfName(std::string_view asked, std::string_view known) {
  const std::string name = Lower(known);
  const std::size_t owner = name.find('/');
  const std::size_t whole = EditDistance(asked, name);
  if (owner == std::string::npos || asked.find('/') != std::string_view::npos) return whole;
  return std::min(whole, EditDistance(asked, std::string_view(name).substr(owner + 1)));
}

Error Unknown(const TextFolder& folder, const std::string& name) {
  constexpr std::size_t kLongest = 256;  // a longer name resembles no model's; limits the distance
  constexpr std::size_t kFarthest = 4;   // letters that differ; more if the name is long
  std::vector<std::string> names = Mapped(KnownModels(folder), &Model::name);
  const std::string asked = Lower(std::string_view(name).substr(0, kLongest));
  std::ranges::stable_sort(names, {}, [&](const auto& it) { return DistanceOfName(asked, it); });
  names.resize(std::min(names.size(), kNearest));
  const std::size_t most = std::max(kFarthest, asked.size() / 2);
  std::erase_if(names, [&](const auto& it) { return DistanceOfName(asked, it) > most; });
  const std::string nearest =
      names.empty() ? "" : "; did you mean " + Joined(names, {}, " or ") + "?";
  return {"unknown_model",
          fmt::format("unknown model '{}'{}\nknown models: {}; others by their config.json",
                      Excerpt(name), nearest, Joined(ModelNames(folder)))};
}

Error NoConfig(const std::string& place, std::string_view what) {
  return {"unknown_model",
          fmt::format("{}: {}; pass a model's name, or the config.json of its checkpoint", place,
                      what)};
}

// A checkpoint in one file has no config.json.
constexpr std::string_view kGguf = "GGUF";

// Until 0.29, ModelOpt wrote the quantization_config into a separate file. Engines read that file,
// too.
std::string WithStorage(const std::string& config, const std::string& storage) {
  auto whole = SureJsonAs<nlohmann::ordered_json>(config);
  auto its = ReadJsonAs<nlohmann::ordered_json>(storage);
  if (its.contains("quantization")) its = its["quantization"];
  if (!its.is_object()) its = fmt::format("{}: expected an object", kStorageFile);
  if (its.is_object()) its["quant_method"] = "modelopt";
  whole["quantization_config"] = std::move(its);
  return whole.dump();
}

// Parses a file again only if its text has changed, because the hub's pages ask for all models
// often.
std::vector<Model> ParsedOnce(const std::string& place, const std::string& text) {
  struct Parsed {
    std::string text;
    std::vector<Model> models;
  };
  static std::mutex mutex;
  static std::map<std::string, Parsed> known;  // by place
  const std::lock_guard lock(mutex);
  Parsed& its = known[place];
  if (its.text != text) {
    auto models = ParseModelFile(place, text);
    its = {text, models.ok() ? *std::move(models) : std::vector<Model>()};
  }
  return its.models;
}

}  // namespace

std::vector<std::string> ModelNames(const TextFolder& folder) {
  const Result<std::vector<std::string>> files = folder.Names();
  std::vector<std::string> names;
  if (!files.ok()) return names;
  for (const std::string& file : *files) names.push_back(file.substr(0, file.rfind('.')));
  std::ranges::sort(names);
  return names;
}

std::vector<Model> KnownModels(const TextFolder& folder) {
  std::vector<Model> known;
  for (const std::string& name : ModelNames(folder)) {
    const std::string file = name + ".json";
    // FindModel by name reports errors.
    auto models = ParsedOnce(folder.PlaceOf(file), folder.Read(file).value_or(""));
    known.insert(known.end(), std::move_iterator(models.begin()), std::move_iterator(models.end()));
  }
  return known;
}

std::string HuggingFaceName(const Model& model) {
  std::string_view source = model.source;
  if (!source.starts_with(kHuggingFace)) return {};
  source.remove_prefix(kHuggingFace.size());
  const std::size_t owner = source.find('/');
  if (owner == std::string_view::npos) return {};
  return std::string(source.substr(0, source.find('/', owner + 1)));
}

Result<Model> FindModel(const TextFolder& folder, const std::string& name) {
  const auto is_asked = [&](std::string_view known) { return IsSameButForCase(known, name); };
  const auto names = ModelNames(folder);
  if (const auto own = std::ranges::find_if(names, is_asked); own != names.end()) {
    const std::string file = *own + ".json";
    return ParseModel(folder.PlaceOf(file), folder.Read(file).value_or(""));
  }
  if (name.starts_with(kHuggingFace)) return FindModel(folder, name.substr(kHuggingFace.size()));
  std::vector<Model> known = KnownModels(folder), of_any_owner;
  for (Model& it : known) {
    const std::string source = HuggingFaceName(it);
    if (is_asked(it.name) || is_asked(source)) return std::move(it);
    if (is_asked(BaseName(it.name)) || is_asked(BaseName(source)))
      of_any_owner.push_back(std::move(it));
  }
  if (of_any_owner.size() == 1) return std::move(of_any_owner.front());
  return Unknown(folder, name);
}

Result<Model> LoadModel(const TextFolder& folder, const std::string& name) {
  std::error_code error;
  fs::path path = name;
  const bool is_folder = fs::is_directory(path, error);
  if (is_folder) path /= "config.json";
  if (is_folder || fs::is_regular_file(path, error)) {
    const TextFolder beside = path.parent_path();
    if (const auto text = beside.Read(path.filename().string())) {
      if (text->starts_with(kGguf)) return NoConfig(name, "a GGUF file has no config.json");
      auto model = ParseModel(path.string(), *text);
      if (!model.ok() || model->quantization.given) return model;
      const auto storage = beside.Read(kStorageFile);
      return storage ? ParseModel(path.string(), WithStorage(*text, *storage)) : model;
    }
  }
  if (is_folder) return NoConfig(name, "this folder has no config.json");
  if (name.ends_with(".json") || name.starts_with('.') || fs::path(name).is_absolute())
    return NoConfig(name, "no such file");
  return FindModel(folder, name);
}

}  // namespace tunehub::core
