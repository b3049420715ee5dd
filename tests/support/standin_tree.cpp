#include "tests/support/standin_tree.h"

#include <fstream>

#include "core/builds/manifest.h"
#include "core/row/cell.h"
#include "core/table/table_writer.h"
#include "tests/support/code_object.h"

namespace tunehub::test {
namespace {

// Calls `visit` with each kernel that a usable row names, if a module has this kernel.
template <typename Visit>
void ForEachKernel(const core::Family& family, const core::TunedTable& table, Visit visit) {
  std::string scratch;
  for (const core::Row& row : table.rows) {
    if (!core::Competes(row.standing)) continue;
    const core::Cells cells = core::SplitLine(row.line, scratch);
    for (const std::size_t column : family.kernel_columns) {
      if (core::IsMissing(cells[column])) continue;
      const core::Module* const module = core::ModuleOf(family, cells, cells[column]);
      if (module != nullptr) visit(*module, row, cells, std::string(cells[column]));
    }
  }
}

std::string PythonList(const std::map<std::string, std::set<int>>& kernels) {
  std::string text =
      "class Kernel:\n    def __init__(self, name):\n        self.name = name\n\nkernels_list = "
      "{\n";
  for (const auto& [name, ids] : kernels) {
    for (const int id : ids) text += "    " + std::to_string(id) + ": Kernel(\"" + name + "\"),\n";
  }
  return text + "}\n";
}

}  // namespace

void StandinTree::Put(const std::string& name, const std::string& bytes) const {
  std::filesystem::create_directories((folder_ / name).parent_path());
  std::ofstream(folder_ / name, std::ios::binary) << bytes;
}

void StandinTree::List(const core::Family& family, const core::TunedTable& table) {
  ForEachKernel(family, table,
                [&](const core::Module& module, const core::Row& row, const core::Cells& cells,
                    const std::string& kernel) {
                  if (!module.present.empty()) {
                    present_.insert(module.present);
                  } else if (module.candidates.empty()) {
                    code_objects_[row.gfx].insert(kernel);
                  } else {
                    auto& kernels = listed_[module.name];
                    lists_[module.name] = module.candidates.front();
                    const int next = static_cast<int>(kernels.size());
                    auto& ids = kernels[kernel];
                    if (module.by_id) {
                      ids.insert(core::ParseInt(cells[family.kernel_id]).value_or(0));
                    } else if (ids.empty()) {
                      ids.insert(next);
                    }
                  }
                });
}

std::string StandinTree::HeaderKey(const core::Family& family, const core::Module& module,
                                   const core::Cells& cells, std::string_view kernel) {
  if (module.dispatch != core::Dispatch::kCompiledTable) return "\"" + std::string(kernel) + "\"";
  std::string key = "{\"" + std::string(cells[family.gfx]) + "\"";
  for (const std::size_t column : family.key_columns) {
    const std::string& name = family.columns[column].name;
    if (column == family.gfx || column == family.tag || name == "q_dtype_w") continue;
    key += ", " + std::string(cells[column]);
  }
  return key + "}";
}

void StandinTree::Build(const core::Family& family, const core::TunedTable& table,
                        std::string_view gfx, int cu_num) {
  for (const core::Module& module : family.modules) {  // AITER builds them with any table
    if (module.dispatch != core::Dispatch::kDirect) built_[module.name];
  }
  std::map<std::pair<std::string, std::string>, std::string> last;  // the last row wins
  ForEachKernel(family, table,
                [&](const core::Module& module, const core::Row& row, const core::Cells& cells,
                    const std::string& kernel) {
                  const bool compiled = module.dispatch != core::Dispatch::kDirect;
                  if (!compiled || row.gfx != gfx || row.cu_num != cu_num) return;
                  last[{module.name, HeaderKey(family, module, cells, kernel)}] = kernel;
                });
  for (const auto& [place, kernel] : last) {
    built_[place.first].insert(place.second + " " + kernel);
  }
}

void StandinTree::Write() const {
  // Two modules may share one list.
  std::map<std::string, std::map<std::string, std::set<int>>> files;
  for (const auto& [module, kernels] : listed_) {
    for (const auto& [name, ids] : kernels)
      files[lists_.at(module)][name].insert(ids.begin(), ids.end());
  }
  for (const auto& [file, kernels] : files) Put(file, PythonList(kernels));
  for (const auto& [module, entries] : built_) {
    std::string header = "#define GENERATE_LOOKUP_TABLE(DTYPE, ETYPE) { \\\n";
    for (const std::string& entry : entries) {
      const std::size_t space = entry.rfind(' ');
      header += "  {" + entry.substr(0, space) + ", \\\n   " + entry.substr(space + 1) +
                "<DTYPE, ETYPE>}, \\\n";
    }
    Put("aiter/jit/build/module_" + module + "/blob/" + module + "_lookup.h", header + "}\n");
  }
  for (const auto& [gfx, names] : code_objects_) {
    std::vector<std::string> symbols;
    for (const std::string& name : names) symbols.push_back(name + ".kd");
    Put("hsa/" + gfx + "/kernels.co", CodeObject(symbols));
  }
  for (const std::string& present : present_) {
    const bool file = present.ends_with(".py");
    Put(file ? present : present + "/__init__.py", "");
  }
}

}  // namespace tunehub::test
