#include "agent/aiter/candidate_list.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/excerpt.h"
#include "core/row/cell.h"
#include "core/system/child_process.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kMark = "tunehub-kernel\t";

// Prints one line per kernel. What a list imports beside the standard library answers every
// question with a function that does nothing, but for the architecture.
constexpr const char* kReader = R"(
import importlib.abc, importlib.machinery, importlib.util, os, sys, types
path, gfx = sys.argv[1], sys.argv[2]

class Nothing(types.ModuleType):
    __path__ = []
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("get_gfx", "get_gfx_runtime"):
            return lambda *a, **k: gfx
        return lambda *a, **k: None

class Loader(importlib.abc.Loader):
    def create_module(self, spec):
        return Nothing(spec.name)
    def exec_module(self, module):
        pass

class Finder(importlib.abc.MetaPathFinder):
    names = {"torch", "aiter", "pandas", "chip_info"}
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.names:
            return importlib.machinery.ModuleSpec(name, Loader(), is_package=True)
        return None

sys.meta_path.insert(0, Finder())
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(path)))

def load():
    spec = importlib.util.spec_from_file_location("candidate_list", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["candidate_list"] = module
    spec.loader.exec_module(module)
    return module

while True:
    try:
        module = load()
        break
    except ModuleNotFoundError as error:
        if not error.name or error.name.split(".")[0] in Finder.names:
            raise
        Finder.names.add(error.name.split(".")[0])

def numbered(value):
    return {k: v.name for k, v in value.items()
            if isinstance(k, int) and k >= 0 and isinstance(getattr(v, "name", None), str)}

lists = {name: numbered(value) for name, value in vars(module).items() if isinstance(value, dict)}
chosen = [name for name in lists if name.startswith("candidate_kernels") and lists[name]]
for name in chosen or lists:
    for number, kernel in lists[name].items():
        print("tunehub-kernel\t%d\t%s" % (number, kernel))
)";

}  // namespace

core::Result<std::set<NamedKernel>> ReadCandidateList(const std::filesystem::path& file,
                                                      const std::string& gfx) {
  core::ChildCommand command;
  command.arguments = {"python3", "-I", "-c", kReader, file.string(), gfx};
  std::set<NamedKernel> kernels;
  std::string last;
  const auto read = [&](std::string_view line) {
    if (!line.starts_with(kMark)) {
      if (!line.empty()) last = line;
      return;
    }
    line.remove_prefix(kMark.size());
    const std::size_t tab = line.find('\t');
    kernels.insert({core::ParseInt(line.substr(0, tab)),
                    std::string(line.substr(std::min(tab + 1, line.size())))});
  };
  const auto end =
      core::RunChild(command, {.whole = kCandidateListLimit}, read, [] { return false; });
  if (!end.ok()) return end.error();
  if (end->succeeded()) return kernels;
  return core::Error{"candidates_unreadable",
                     fmt::format("{}: python3 ended with {}{}", file.string(), end->Text(),
                                 last.empty() ? "" : ": " + std::string(core::Excerpt(last, 200)))};
}

}  // namespace tunehub::agent
