#include "core/shapes/architecture.h"

#include <algorithm>

#include "architectures.h"
#include "core/base/read_json.h"

namespace tunehub::core {
namespace {

using Json = nlohmann::ordered_json;

// A test reads the file, so that none is built that cannot be read.
const Json& File() {
  static const Json file = SureJsonAs<Json>(kArchitectures);
  return file;
}

std::map<std::string, std::vector<std::string>> NamesIn(const Json& json) {
  return json.get<std::map<std::string, std::vector<std::string>>>();
}

// "mlp.gate_proj" by {"mlp.": "feed_forward.", "gate_proj": "w1"}.
void Rename(std::vector<std::string>& modules, const Json& renames) {
  for (std::string& module : modules) {
    for (const auto& [from, to] : renames.items()) {
      const std::size_t at = module.find(from);
      if (at != std::string::npos) module.replace(at, from.size(), to.get<std::string>());
    }
  }
}

Architecture Read(const Json& row) {
  Architecture made;
  made.types = row.at("types").get<std::vector<std::string>>();
  made.parts = row.at("parts").get<std::set<std::string>>();
  made.always = row.value("always", Json::object());
  made.defaults = row.value("defaults", Json::object());
  made.only = row.value("only", Json::object());
  made.harmless = File().at("harmless").get<std::set<std::string>>();
  made.harmless.merge(row.value("harmless", Json::array()).get<std::set<std::string>>());
  made.names = NamesIn(row.value("names", Json::object()));
  made.names.merge(NamesIn(File().at("names")));
  const Json renames = row.value("modules", Json::object());
  for (const auto& [product, modules] : File().at("modules").items()) {
    ProductModules its{modules.at("in"), modules.at("of"), modules.value("joined", Json::array())};
    Rename(its.of, renames);
    Rename(its.joined, renames);
    made.modules.emplace(product, std::move(its));
  }
  return made;
}

}  // namespace

std::vector<std::string> Architecture::NamesOf(const std::string& member) const {
  const auto found = names.find(member);
  return found == names.end() ? std::vector<std::string>{member} : found->second;
}

const Architecture* FindArchitecture(std::string_view model_type) {
  static const std::vector<Architecture> all = [] {
    std::vector<Architecture> made;
    for (const Json& row : File().at("architectures")) made.push_back(Read(row));
    return made;
  }();
  const auto found = std::ranges::find_if(all, [&](const Architecture& it) {
    return std::ranges::find(it.types, model_type) != it.types.end();
  });
  return found == all.end() ? nullptr : &*found;
}

const std::set<std::string>& HarmlessStorageMembers() {
  static const std::set<std::string> members = File().at("harmless_storage");
  return members;
}

std::string SchemeCalled(const std::string& name) {
  return File().at("schemes").value(name, "");
}

const std::string* PartCalled(const std::string& list, const std::string& entry) {
  const Json& entries = File().at("lists").at(list);
  const auto found = entries.find(entry);
  return found == entries.end() ? nullptr : found->get_ptr<const std::string*>();
}

}  // namespace tunehub::core
