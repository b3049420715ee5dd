#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <ranges>

#include "agent/aiter/private_tree.h"
#include "agent/engines/script_command.h"
#include "agent/install/commands.h"
#include "agent/install/installer.h"
#include "agent/search/tuned_file.h"
#include "agent/tune/commands.h"
#include "agent/tune/work_folder.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/builds/manifest.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr char kWho[] = "pretune";
constexpr std::string_view kPrefix = "module_", kSuffix = "_tune";

const core::Family* FamilyOf(const core::Families& families, std::string_view library) {
  for (const auto& family : families.all()) {
    for (const core::Module& module : family->modules) {
      if (!module.candidates.empty() && module.library == library) return family.get();
    }
  }
  return nullptr;
}

PretuneModule Describe(const core::Families& families, const std::string& name) {
  PretuneModule module{name, nullptr, ""};
  const core::Family* const family =
      FamilyOf(families, std::string_view(name).substr(0, name.size() - kSuffix.size()));
  if (family == nullptr) {
    module.why_not = "the module contains no table";
  } else if (VariantOf(family->tune_script) == nullptr) {
    module.why_not = "AITER has no tune script for " + family->name;
  } else {
    module.family = family;
  }
  return module;
}

// The module named `word`, or "module_WORD_tune".
core::Result<const PretuneModule*> FindModule(const std::vector<PretuneModule>& modules,
                                              std::string_view word) {
  std::string name(word);
  if (!name.starts_with(kPrefix)) name.insert(0, kPrefix);
  if (!name.ends_with(kSuffix)) name += kSuffix;
  const auto module = std::ranges::find(modules, name, &PretuneModule::name);
  if (module != modules.end()) return &*module;
  const auto names = modules | std::views::transform(&PretuneModule::name);
  return core::Error{"unknown_module",
                     fmt::format("unknown module '{}'; this AITER has the tune modules {}", word,
                                 fmt::join(names, ", "))};
}

// Gives the builder one table: the tree's tables as AITER would merge them, with the new rows.
core::Result<ModuleBuilder> OpenBuilder(const FamilyFiles& files, const TreeTables& tables,
                                        const std::string& winners, const fs::path& root,
                                        const fs::path& merged) {
  if (auto status = tables.WriteMerged(winners, merged); !status.ok()) return status.error();
  const auto bytes = core::FileBytes::Read(merged.string());
  if (!bytes.ok()) return bytes.error();
  auto builder = ModuleBuilder::Open({.root = root, .gpu_archs = "", .log = {}});
  if (!builder.ok()) return builder.error();
  core::Status status = core::Ok();
  for (const TreeFile& file : files.files) {
    if (status.ok()) status = builder->LeaveOut(file.name);
  }
  const core::Family& family = *files.family;
  if (status.ok()) status = builder->SetTable(family.file, family.env, bytes->view());
  if (!status.ok()) return status.error();
  return builder;
}

// Builds the modules that must change for the new rows. Installs the modules and the rows. Returns
// true if all modules were built.
core::Result<bool> Rebuild(const FamilyFiles& files, const TreeTables& tables,
                           const std::string& winners, const fs::path& root, const fs::path& merged,
                           const std::function<bool()>& stop, Console& console) {
  const core::Family& family = *files.family;
  const auto libraries = tables.LibrariesOf(winners);
  if (!libraries.ok()) return libraries.error();
  if (libraries->empty()) {
    console.out << family.name << ": no compiled kernel changed, so there is nothing to build\n";
    auto status = tables.PutInPlace(winners);
    if (!status.ok()) return status.error();
    return true;
  }
  auto builder = OpenBuilder(files, tables, winners, root, merged);
  if (!builder.ok()) return builder.error();
  std::vector<BuiltModule> built;
  for (const std::string& library : *libraries) {
    built.push_back(builder->Build(library, stop));
  }
  PrintBuilt(built, false, console.out);
  if (!std::ranges::all_of(built, &BuiltModule::built)) {
    console.err << "tunehub-agent pretune: " << family.name
                << ": the tables and modules are unchanged; see " << builder->log().string()
                << '\n';
    return false;
  }
  // Installs the libraries before the table, so that the table never names a kernel that the
  // libraries lack. (One exception: old rows whose kernels no longer exist, until PutInPlace()
  // replaces these rows.)
  for (const BuiltModule& module : built) {
    if (auto status = builder->PutInPlace(module.library, false); !status.ok())
      return status.error();
  }
  if (auto status = tables.PutInPlace(winners); !status.ok()) return status.error();
  return true;
}

int TuneFamily(TuneOptions options, const FamilyFiles& files, const fs::path& root, Bench& bench,
               Console& console) {
  const core::Family& family = *files.family;
  const auto tables = TreeTables::Read(files, bench.configuration.targets);
  if (!tables.ok()) return Fail(console, kWho, tables.error());
  const WorkFolder work(fs::absolute(StateFolder(options)) / ("pretune-" + family.name));
  if (auto status = work.Make(); !status.ok()) return Fail(console, kWho, status.error());
  options.output = (work / ("winners_" + family.file)).string();
  const TuneInput input{
      &family, tables->Shapes(), {}, Purpose::kTune, files.files[0].path.string()};
  if (input.shapes.empty()) {
    console.out << family.name << ": no shape in its tables\n";
    return kGood;
  }
  console.out << family.name << ": " << input.shapes.size() << " shapes\n";
  const int code = TuneByAiter(options, input, bench, console);
  const auto winners = core::FileBytes::Read(options.output);
  if (code == kFailed || !winners.ok()) return kFailed;
  const auto built = Rebuild(files, *tables, std::string(winners->view()), root, work / family.file,
                             options.search.stop, console);
  if (!built.ok()) return Fail(console, kWho, built.error());
  return *built ? code : kFinding;
}

constexpr char kNewRows[] = "the tuned rows";

}  // namespace

core::Result<std::vector<PretuneModule>> ListPretuneModules(const core::Families& families,
                                                            const std::filesystem::path& aiter) {
  const std::string file = (aiter / "aiter/jit/optCompilerConfig.json").string();
  const auto bytes = core::FileBytes::Read(file);
  if (!bytes.ok()) return core::Error{"no_modules", bytes.error().detail};
  const auto json = core::ReadJsonAs<nlohmann::ordered_json>(bytes->view());
  if (!json.is_object()) return core::Error{"no_modules", file + ": expected a JSON object"};
  std::vector<PretuneModule> modules;
  for (const auto& [name, build] : json.items()) {
    if (name.ends_with(kSuffix)) modules.push_back(Describe(families, name));
  }
  return modules;
}

core::Result<std::vector<const core::Family*>> ChooseFamilies(
    const std::vector<PretuneModule>& modules, std::string_view wanted) {
  std::vector<const core::Family*> families;
  const auto add = [&](const PretuneModule& module) {
    const bool known = std::ranges::find(families, module.family) != families.end();
    if (module.family != nullptr && !known) families.push_back(module.family);
  };
  if (wanted == "all") {
    for (const PretuneModule& module : modules) add(module);
    return families;
  }
  for (std::string_view word : core::SplitAt(wanted, ",")) {
    word = core::Trim(word);
    if (word.empty()) continue;
    const auto module = FindModule(modules, word);
    if (!module.ok()) return module.error();
    const PretuneModule& chosen = **module;
    if (chosen.family == nullptr)
      return core::Error{"unsupported_module", chosen.name + ": " + chosen.why_not};
    add(chosen);
  }
  return families;
}

int ListModules(const TuneOptions& options, Console& console) {
  const auto configuration = LoadConfiguration(options.configs);
  if (!configuration.ok()) return Fail(console, kWho, configuration.error());
  const auto root = FindAiter(options.aiter, AiterOptions().python);
  if (!root.ok()) return Fail(console, kWho, root.error());
  const auto modules = ListPretuneModules(configuration->families, *root);
  if (!modules.ok()) return Fail(console, kWho, modules.error());
  for (const PretuneModule& it : *modules) {
    const std::string what = it.family != nullptr
                                 ? fmt::format("{}, by {}", it.family->file, it.family->tune_script)
                                 : "not supported: " + it.why_not;
    console.out << it.name << ": " << what << '\n';
  }
  return kGood;
}

int PretuneModules(TuneOptions options, const std::string& modules, Console& console) {
  if (auto status = CheckAiterOptions(options, Purpose::kTune); !status.ok()) {
    return Fail(console, kWho, status.error());
  }
  auto bench = OpenBench(options);
  if (!bench.ok()) return Fail(console, kWho, bench.error());
  const core::Families& known = bench->configuration.families;
  const auto root = FindAiter(options.aiter, AiterOptions().python);
  if (!root.ok()) return Fail(console, kWho, root.error());
  const auto tree = ReadAiterTree(known, *root);
  if (!tree.ok()) return Fail(console, kWho, tree.error());
  options.aiter = root->string();
  const auto listed = ListPretuneModules(known, *root);
  if (!listed.ok()) return Fail(console, kWho, listed.error());
  const auto families = ChooseFamilies(*listed, modules);
  if (!families.ok()) return Fail(console, kWho, families.error());
  const auto lock = Installer(tree->configs).Lock();
  if (!lock.ok()) return Fail(console, kWho, lock.error());
  options.search.stop = core::CatchStopSignals();
  int worst = kGood;
  for (const core::Family* family : *families) {
    if (options.search.stop()) return kFinding;
    const auto files = std::ranges::find(tree->families, family, &FamilyFiles::family);
    if (files == tree->families.end()) {
      console.out << family->name << ": the tree has no table of this module\n";
      continue;
    }
    worst = std::max(worst, TuneFamily(options, *files, *root, *bench, console));
  }
  return worst;
}

core::Result<TreeTables> TreeTables::Read(const FamilyFiles& files, const core::Targets& targets) {
  TreeTables tables(*files.family, targets);
  for (const TreeFile& file : files.files) {
    const auto bytes = core::FileBytes::Read(file.path.string());
    if (!bytes.ok()) return bytes.error();
    auto table = ReadWholeTable(*files.family, targets, bytes->view(), file.path.string());
    if (!table.ok()) return table.error();
    for (std::size_t row = 0; row < table->rows.size(); ++row) {
      tables.places_.try_emplace(table->rows[row].order, Place{tables.tables_.size(), row});
    }
    tables.tables_.push_back({file.path, *std::move(table)});
  }
  return tables;
}

std::vector<Columns> TreeTables::Shapes() const {
  std::vector<Columns> shapes;
  std::set<std::string> seen;
  std::string scratch;
  for (const Table& table : tables_) {
    for (const core::Row& row : table.rows.rows) {
      const core::Cells cells = core::SplitLine(row.line, scratch);
      Columns shape;
      for (const std::string& name : family_->untuned_columns) {
        const std::size_t column = family_->Find(name);
        if (family_->columns[column].role == core::Role::kTarget) continue;
        shape[family_->columns[column].name] = cells[column];
      }
      if (seen.insert(TextOf(shape)).second) shapes.push_back(std::move(shape));
    }
  }
  return shapes;
}

core::Result<std::set<std::string>> TreeTables::LibrariesOf(std::string_view csv) const {
  const auto table = ReadWholeTable(*family_, *targets_, csv, kNewRows);
  if (!table.ok()) return table.error();
  std::set<std::string> libraries;
  std::string scratch, old_scratch;
  for (const core::Row& row : table->rows) {
    const auto old = places_.find(row.order);
    const core::Cells cells = core::SplitLine(row.line, scratch);
    core::Cells old_cells;
    if (old != places_.end()) {
      const Place& place = old->second;
      old_cells = core::SplitLine(tables_[place.table].rows.rows[place.row].line, old_scratch);
    }
    for (const std::size_t column : family_->kernel_columns) {
      if (!old_cells.empty() && cells[column] == old_cells[column]) continue;
      const core::Module* const module = core::ModuleOf(*family_, cells, cells[column]);
      const bool compiled = module != nullptr && module->dispatch != core::Dispatch::kDirect;
      if (compiled) libraries.insert(module->library);
    }
  }
  return libraries;
}

core::Status TreeTables::WriteMerged(std::string_view csv,
                                     const std::filesystem::path& file) const {
  auto merged = TunedFile::Open(*family_, *targets_, file);
  if (!merged.ok()) return merged.error();
  std::vector<std::string_view> lines;
  for (const Table& table : tables_) {
    for (const core::Row& row : table.rows.rows) lines.push_back(row.line);
  }
  const auto status = merged->PutTable(core::WriteTable(*family_, lines));
  return status.ok() ? merged->PutTable(csv) : status;
}

core::Status TreeTables::PutInPlace(std::string_view csv) const {
  const auto table = ReadWholeTable(*family_, *targets_, csv, kNewRows);
  if (!table.ok()) return table.error();
  std::vector<std::vector<std::string_view>> lines(tables_.size());
  for (const core::Row& row : table->rows) {
    const auto place = places_.find(row.order);
    lines[place == places_.end() ? 0 : place->second.table].push_back(row.line);
  }
  // Reads every file before it writes the first.
  std::vector<TunedFile> files;
  for (const Table& it : tables_) {
    auto file = TunedFile::Open(*family_, *targets_, it.path);
    if (!file.ok()) return file.error();
    files.push_back(*std::move(file));
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (lines[i].empty()) continue;
    const auto status = files[i].PutTable(core::WriteTable(*family_, lines[i]));
    if (!status.ok()) return status;
  }
  return core::Ok();
}

}  // namespace tunehub::agent
