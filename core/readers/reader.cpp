#include "core/readers/reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/json_object.h"
#include "core/readers/store_loader.h"

namespace tunehub::core {

bool LookupState::Reads(std::string_view layout) const {
  return std::ranges::any_of(searches, [&](const auto& search) {
    return std::ranges::find(search, layout) != search.end();
  });
}

const ReaderStore* Reader::StoreOf(const Family& family) const {
  const auto found = std::ranges::find(stores, &family, &ReaderStore::family);
  return found == stores.end() ? nullptr : &*found;
}

const ReaderStore* Reader::StoreOf(std::string_view family) const {
  const auto found = std::ranges::find(stores, family, [](const ReaderStore& store) {
    return std::string_view(store.family->name);
  });
  return found == stores.end() ? nullptr : &*found;
}

Result<Readers> Readers::Load(const TextFolder& folder, const Families& families) {
  const auto names = folder.Names();
  if (!names.ok()) return Error{"bad_reader", names.error().detail};
  Readers loaded;
  for (const std::string& name : *names) {
    const std::string place = folder.PlaceOf(name);
    const std::optional<std::string> text = folder.Read(name);
    if (!text) return Error{"bad_reader", place + ": cannot be read"};
    Result<Reader> reader = Parse(place, *text, families);
    if (!reader.ok()) return reader.error();
    if (loaded.Find(reader->name) != nullptr) {
      return Error{"bad_reader",
                   fmt::format("{}: /name: \"{}\" is a reader already", place, reader->name)};
    }
    loaded.readers_.push_back(*std::move(reader));
  }
  std::ranges::sort(loaded.readers_, {}, &Reader::name);
  return loaded;
}

const Reader* Readers::Find(std::string_view name) const {
  const auto found = std::ranges::find(readers_, name, &Reader::name);
  return found == readers_.end() ? nullptr : &*found;
}

Result<const Reader*> Readers::Named(std::string_view name) const {
  if (const Reader* const reader = Find(name)) return reader;
  std::string names;
  for (const Reader& reader : readers_) names += (names.empty() ? "" : ", ") + reader.name;
  return Error{"unknown_reader", fmt::format("there is no reader '{}', only {}", name, names)};
}

namespace {

constexpr char kBadReader[] = "bad_reader";

void ParseReplaces(JsonObject& json, Reader& reader) {
  const std::string replaces = json.Text("replaces", "file");
  reader.replaces_all = replaces == "folder";
  if (!reader.replaces_all && replaces != "file") {
    json.Fail("replaces", "must be \"file\" or \"folder\"");
  }
}

void ParseUnsupported(JsonObject& json, Reader& reader) {
  for (JsonObject& files : json.OptionalObjects("unsupported")) {
    reader.unsupported.push_back({files.Text("title"), files.Texts("parts"), files.Text("why"),
                                  ParseLines(files, "misses"), ParseLines(files, "hits")});
    files.Finish();
  }
}

void ParseRemarks(JsonObject& json, Reader& reader) {
  for (JsonObject& remark : json.OptionalObjects("remarks")) {
    reader.remarks.push_back({remark.Text("mark"), remark.Text("says")});
    if (reader.remarks.back().mark.empty()) remark.Fail("mark", "must not be empty");
    remark.Finish();
  }
}

}  // namespace

Result<Reader> Readers::Parse(std::string_view file, std::string_view text,
                              const Families& families) {
  JsonErrors errors{std::string(file), kBadReader};
  const nlohmann::json parsed = ParseJson(text, errors);
  if (errors.any()) return errors.first();
  JsonObject json(parsed, "", errors);
  Reader reader;
  reader.name = json.Text("name");
  reader.engine = json.Text("engine");
  reader.title = json.Text("title");
  json.Text("notes", "");  // for readers of the file
  reader.source_name = json.Text("source", reader.name);
  reader.variable = json.Text("variable", "");
  reader.variable_folder = json.Text("variable_folder", "");
  ParseReplaces(json, reader);
  for (JsonObject& rule : json.OptionalObjects("devices")) {
    reader.devices.push_back({rule.Text("part"), rule.Text("becomes"), rule.Text("since")});
    rule.Finish();
  }
  for (const JsonObject& store : json.Objects("stores")) {
    reader.stores.push_back(ParseStore(store, reader, families));
  }
  ParseUnsupported(json, reader);
  ParseRemarks(json, reader);
  if (reader.stores.empty()) json.Fail("stores", "must hold at least one store");
  json.Finish();
  if (errors.any()) return errors.first();
  reader.source = text;
  return reader;
}

}  // namespace tunehub::core
