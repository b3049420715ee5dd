#include "core/family_modules.h"

#include <algorithm>

#include "core/manifest.h"

namespace tunehub::core {
namespace {

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
  if (IsTaken(family, module)) json.Fail("", "stands behind a module that takes all it could");
  json.Finish();
  return module;
}

}  // namespace

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
