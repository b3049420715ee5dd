#include "core/readers/reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/family/lookup_kinds.h"
#include "core/readers/file_name.h"

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
                   fmt::format("{}: /name: another reader already has the name \"{}\"", place,
                               reader->name)};
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
  return Error{"unknown_reader", fmt::format("unknown reader '{}'; known readers: {}", name,
                                             Joined(readers_, &Reader::name))};
}

namespace {

constexpr std::int64_t kMaxIndent = 8;

constexpr std::array<JsonWord<BodyKind>, 4> kBodies = {{{"m_keys", BodyKind::kMembersByM},
                                                        {"buckets", BodyKind::kBuckets},
                                                        {"tunableop", BodyKind::kTunable},
                                                        {"whole", BodyKind::kWhole}}};
constexpr std::array<JsonWord<LookupRule>, 3> kRules = {
    {{"nearest", LookupRule::kNearest},
     {"smallest_bound", LookupRule::kSmallestBound},
     {"exact", LookupRule::kExact}}};

std::size_t StoreColumn(JsonObject& json, const std::string& member, const Family& family,
                        const std::string& name) {
  const std::size_t column = family.Find(name);
  if (column == kNoColumn) {
    json.Fail(member, fmt::format("\"{}\": expected a column of {}", name, family.name));
  }
  return column;
}

NameForm ParseForm(JsonObject json, const Family& family) {
  NameForm form;
  if (json.Has("sets")) form.sets = ParseSets(json.Object("sets"), family);
  if (json.Has("when")) {
    JsonObject when = json.Object("when");
    for (const std::string& name : when.MemberNames()) {
      const std::size_t column = StoreColumn(json, "when", family, name);
      form.when[column] = when.Texts(name);
    }
  }
  for (JsonObject& part : json.Objects("parts")) form.parts.push_back(ParsePart(part, family));
  if (form.parts.empty()) json.Fail("parts", "must contain at least one part");
  json.Finish();
  return form;
}

NameWords ParseWords(JsonObject json, const Family& family) {
  NameWords words;
  words.column = StoreColumn(json, "column", family, json.Text("column"));
  words.asked = json.Texts("asked");
  words.noted = json.TextsByName("noted");
  words.never = json.TextsByName("never");
  json.Finish();
  return words;
}

FileMember ParseFileMember(JsonObject json, const Family& family) {
  FileMember member{json.Text("name"), json.Text("column", ""), json.Text("prefix", ""),
                    json.Text("why")};
  if (!member.column.empty()) StoreColumn(json, "column", family, member.column);
  json.Finish();
  return member;
}

using ListOfLists = std::vector<std::vector<std::string>>;

ListOfLists ParseLists(JsonObject& json, const std::string& member) {
  const nlohmann::json* const lists = json.Value(member);
  if (lists == nullptr) return {};
  const auto is_list = [](const nlohmann::json& list) {
    return list.is_array() &&
           std::ranges::all_of(list, [](const auto& it) { return it.is_string(); });
  };
  if (lists->is_array() && std::ranges::all_of(*lists, is_list)) return lists->get<ListOfLists>();
  json.Fail(member, "must be a list of lists of texts");
  return {};
}

// Parses the lookup of the default file and of the special files.
LookupState ParseState(JsonObject json, ReaderStore& store) {
  LookupState state{json.Text("since"), {}, ParseLists(json, "searches")};
  const Family& family = *store.family;
  for (const auto& names : ParseLists(json, "specials")) {
    auto& columns = state.specials.emplace_back();
    for (const std::string& name : names) {
      columns.push_back(StoreColumn(json, "specials", family, name));
      if (std::ranges::find(store.special, columns.back()) == store.special.end()) {
        store.special.push_back(columns.back());
      }
    }
  }
  json.Finish();
  return state;
}

void ParseStates(JsonObject& json, ReaderStore& store) {
  if (!json.Has("states")) return;
  store.layout = StoreColumn(json, "layout", *store.family, json.Text("layout"));
  for (const JsonObject& state : json.Objects("states")) {
    store.states.push_back(ParseState(state, store));
  }
  json.Object("successors");  // fails if it is missing
  store.successors = json.TextsByName("successors");
}

void ParseReaderLookup(JsonObject json, ReaderStore& store) {
  const Family& family = *store.family;
  store.lookup = json.OneOf("rule", json.Text("rule"), kRules);
  if (json.Has("member")) store.member = StoreColumn(json, "member", family, json.Text("member"));
  store.op = family.lookup.op;
  if (store.lookup == LookupRule::kSmallestBound && family.lookup.bounds.empty()) {
    json.Fail("rule", fmt::format("needs the bounds of {}'s lookup", family.name));
  }
  ParseStates(json, store);
  json.Finish();
}

// Finds the columns of a file's rows that are not part of the key.
void FindBodyColumns(JsonObject& json, ReaderStore& store) {
  const Family& family = *store.family;
  store.config = family.Find("config");
  store.place = family.Find("place");
  store.made_with = family.Find("made_with");
  store.bounds = family.Find(kBoundsColumn);
  if (store.body == BodyKind::kTunable) return;
  const bool whole = store.body == BodyKind::kWhole;
  if (!whole && store.member == kNoColumn)
    json.Fail("lookup", "must be the column with the members' names");
  const Type type = whole ? Type::kDocument : Type::kJson;
  if (store.config == kNoColumn || family.columns[store.config].type != type) {
    json.Fail("family", fmt::format("{} has no column config of type {}", family.name,
                                    whole ? "document" : "json"));
  }
}

// Does not check the places in lines, because core/misses/engine_lines.h parses them.
std::vector<ReaderLine> ParseLines(JsonObject& json, const std::string& member) {
  std::vector<ReaderLine> lines;
  for (JsonObject& line : json.OptionalObjects(member)) {
    lines.push_back({line.Text("mark"), line.Text("line")});
    if (lines.back().line.find(lines.back().mark) == std::string::npos) {
      line.Fail("mark", "is not a part of the line");
    }
    line.Finish();
  }
  return lines;
}

ReaderStore ParseStore(JsonObject json, const Reader& reader, const Families& families) {
  ReaderStore store;
  const std::string name = json.Text("family");
  store.family = families.Find(name);
  if (store.family == nullptr || store.family->engine == kNoColumn) {
    json.Fail("family", fmt::format("\"{}\": expected a family with an engine", name));
    return store;
  }
  const auto& engines = store.family->columns[store.family->engine].values;
  if (std::ranges::find(engines, reader.engine) == engines.end()) {
    json.Fail("family", fmt::format("the family {} has no engine {}", name, reader.engine));
  }
  store.title = json.Text("title");
  store.packages = json.Texts("packages");
  store.variable = json.Boolean("variable", false);
  store.anchored = json.Boolean("anchored", false);
  store.body = json.OneOf("body", json.Text("body"), kBodies);
  store.indent =
      static_cast<int>(std::clamp<std::int64_t>(json.Integer("indent", 4), 0, kMaxIndent));
  for (const JsonObject& form : json.OptionalObjects("names")) {
    store.names.push_back(ParseForm(form, *store.family));
  }
  for (const JsonObject& words : json.OptionalObjects("words")) {
    store.words.push_back(ParseWords(words, *store.family));
  }
  if (store.names.empty() && store.body != BodyKind::kTunable) {
    json.Fail("names", "must describe how files are named");
  }
  for (const JsonObject& member : json.OptionalObjects("file_members")) {
    store.file_members.push_back(ParseFileMember(member, *store.family));
  }
  ParseReaderLookup(json.Object("lookup"), store);
  FindBodyColumns(json, store);
  store.ladder = json.Ascending("ladder");
  store.misses = ParseLines(json, "misses");
  store.hits = ParseLines(json, "hits");
  store.op_prefixes = json.Texts("op_prefixes");
  json.Finish();
  return store;
}

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
  JsonObject json(parsed, "", errors);
  Reader reader;
  reader.name = json.Text("name");
  reader.engine = json.Text("engine");
  reader.title = json.Text("title");
  json.Text("notes", "");  // for people only
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
  if (reader.stores.empty()) json.Fail("stores", "must contain at least one store");
  json.Finish();
  if (errors.any()) return errors.first();
  reader.source = text;
  return reader;
}

}  // namespace tunehub::core
