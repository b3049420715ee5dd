#include "core/family/family_modules.h"

#include <algorithm>
#include <array>

namespace tunehub::core {
namespace {

constexpr std::array<std::string_view, 3> kDispatches = {"direct", "compiled_table",
                                                         "name_registry"};

Dispatch ParseDispatch(JsonObject& json) {
  const std::string text = json.Text("dispatch", kDispatches[0]);
  const auto found = std::ranges::find(kDispatches, text);
  if (found != kDispatches.end()) return static_cast<Dispatch>(found - kDispatches.begin());
  json.Fail("dispatch", "must be direct, compiled_table or name_registry");
  return Dispatch::kDirect;
}

KernelAlias ParseAlias(JsonObject& json) {
  KernelAlias alias{json.Text("prefix", ""), json.Text("stands_for", ""), json.Text("suffix", "")};
  if (alias.prefix.empty() == alias.suffix.empty()) json.Fail("", "needs a prefix or a suffix");
  if (alias.prefix.empty() != alias.stands_for.empty()) {
    json.Fail("stands_for", "goes with a prefix, which needs it");
  }
  json.Finish();
  return alias;
}

// The libtypes and kernels of `module` that an earlier module takes already would never reach it.
bool IsTaken(const Family& family, const Module& module) {
  return std::ranges::any_of(family.modules, [&](const Module& earlier) {
    return earlier.kernels.empty() &&
           (earlier.libtypes.empty() || earlier.libtypes == module.libtypes);
  });
}

Module ParseModule(JsonObject& json, const Family& family) {
  Module module;
  module.name = json.Text("name");
  if (!IsModuleName(module.name)) json.Fail("name", "must be a word of a-z, 0-9 and _");
  module.library = json.Text("library", "module_" + module.name);
  module.dispatch = ParseDispatch(json);
  module.libtypes = json.Texts("libtypes");
  module.kernels = json.Texts("kernels");
  module.candidates = json.Texts("candidates");
  module.present = json.Text("present", "");
  const std::string resolved = json.Text("resolved_by", "name");
  module.by_id = resolved == "id";
  if (!module.by_id && resolved != "name") json.Fail("resolved_by", "must be name or id");
  if (module.by_id && family.kernel_id == kNoColumn) {
    json.Fail("resolved_by", "id needs an integer column of identity unnamed");
  }
  if (!module.libtypes.empty() && family.libtype == kNoColumn) {
    json.Fail("libtypes", "needs the column libtype");
  }
  if (json.Has("aliases")) {
    for (JsonObject& alias : json.Objects("aliases")) module.aliases.push_back(ParseAlias(alias));
  }
  if (IsTaken(family, module)) json.Fail("", "stands behind a module that takes all it could");
  json.Finish();
  return module;
}

}  // namespace

bool IsModuleName(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

void ParseModules(JsonObject& json, Family& family) {
  if (!json.Has("modules")) return;
  for (JsonObject& object : json.Objects("modules")) {
    family.modules.push_back(ParseModule(object, family));
  }
  if (!family.modules.empty() && family.kernel_columns.empty()) {
    json.Fail("modules", "needs a column of type kernel");
  }
}

}  // namespace tunehub::core
