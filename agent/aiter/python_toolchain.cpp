#include "agent/aiter/python_toolchain.h"

#include <nlohmann/json.hpp>

#include "agent/aiter/ask_python.h"
#include "core/base/read_json.h"

namespace tunehub::agent {
namespace {

// One line of JSON. torch/version.py is read and not imported: importing torch takes seconds and
// may open the GPU. ROCm's wheels of Triton have had other names.
constexpr char kProgram[] = R"py(
import importlib.metadata as metadata, importlib.util as util, json, os, runpy

def version(*packages):
    for package in packages:
        found = [d.version for d in metadata.distributions(name=package)]
        if found and found[0]:
            return found[0]
    return ""

def rocm():
    spec = util.find_spec("torch")
    if spec is None or not spec.origin:
        return ""
    path = os.path.join(os.path.dirname(spec.origin), "version.py")
    try:
        return runpy.run_path(path).get("hip") or ""
    except Exception:
        return ""

says = {"triton": version("triton", "pytorch-triton-rocm", "triton-rocm", "pytorch-triton"),
        "pytorch": version("torch"), "rocm": rocm(), "aiter": version("amd-aiter", "aiter")}
engine = "ENGINE"
if engine and version(engine):
    says["engine"] = engine + "@" + version(engine)
print(json.dumps(says))
)py";

}  // namespace

std::vector<std::string> PythonToolchain(const std::string& python, const std::string& engine) {
  std::string program = kProgram;
  const std::string place = "\"ENGINE\"";
  program.replace(program.find(place), place.size(), nlohmann::json(engine).dump());
  std::vector<std::string> versions;
  const auto says = core::ReadJson(AskPython(python, program));
  if (!says.is_object()) return versions;
  for (const auto& [name, version] : says.items()) {
    if (version.is_string() && !version.get_ref<const std::string&>().empty())
      versions.push_back(name + "=" + version.get<std::string>());
  }
  return versions;
}

}  // namespace tunehub::agent
