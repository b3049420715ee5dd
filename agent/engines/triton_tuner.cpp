#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/engines/engine_run.h"
#include "core/base/file.h"
#include "core/base/read_json.h"
#include "core/readers/tree_reader.h"
#include "core/table/csv.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// Merges the parts of one file that were written by several starts.
void AddFile(const std::string& path, std::string_view bytes,
             std::map<std::string, std::string>& files) {
  const auto [place, added] = files.try_emplace(path, bytes);
  if (added) return;
  auto members = core::ReadJsonAs<nlohmann::ordered_json>(place->second);
  members.update(core::ReadJsonAs<nlohmann::ordered_json>(bytes));
  place->second = members.dump(4) + "\n";
}

class Tuner {
 public:
  Tuner(const TritonSettings& settings, const EngineScript& script, const EngineWork& work,
        const FileRows& read, const EngineObserver& observer)
      : settings_(settings), script_(script), work_(work), read_(read), observer_(observer) {}

  core::Result<EngineRun> Run() {
    if (auto opened = Open(); !opened.ok()) return opened.error();
    for (const auto& tokens : StartsOf(*text_, work_.grid)) {
      if (auto done = Start(tokens); !done.ok()) return done.error();
      if (!GoesOn()) break;
    }
    Settle();
    return std::move(run_);
  }

 private:
  bool is_sglang() const { return script_.tuner == "sglang"; }
  // Only SGLang's MoE files are in folders named after Triton's version.
  bool has_folders() const { return is_sglang() && script_.benches; }
  bool GoesOn() const {
    return run_.report.outcome != ScriptOutcome::kEnded &&
           run_.report.outcome != ScriptOutcome::kTimedOut;
  }

  core::Status Open() {
    path_ = fs::absolute(settings_.root) / script_.path;
    const auto text = core::FileBytes::Read(path_);
    if (!text.ok()) {
      return core::Error{
          "no_script",
          fmt::format("--engine {} is not a checkout of {}: it has no {} ({})",
                      settings_.root.string(), script_.tuner, script_.path, text.error().detail)};
    }
    text_.emplace(std::string(text->view()));
    const auto home =
        FreshFolder(std::filesystem::absolute(settings_.work), std::string(script_.tuner));
    if (!home.ok()) return home.error();
    home_ = *home;
    // An empty folder for the engine's variable. SGLang expects a folder configs/ in it.
    if (auto made = core::MakeFolder(home_ / "none/configs"); !made.ok()) return made.error();
    auto model = ModelOf(work_.model, home_);
    if (!model.ok()) return model.error();
    model_ = *std::move(model);
    if (has_folders()) {
      auto folder_name = TritonFolderOf(settings_.python);
      if (!folder_name.ok()) return folder_name.error();
      triton_folder_ = *std::move(folder_name);
    }
    run_.family = script_.family;
    run_.tuner = fmt::format("{} {}", script_.tuner, path_.filename().string());
    run_.versions = VersionsOf(settings_.python);
    return core::Ok();
  }

  // Runs one step. A failure of the script is not an error: run_.report describes it.
  core::Status Step(AiterStep step, const std::vector<int>& tokens, const fs::path& folder,
                    const fs::path& tuned, ScriptOutput& output) {
    static constexpr const char* kNames[] = {"before", "tuning", "after"};
    const std::string name = kNames[static_cast<std::size_t>(step)];
    auto arguments = ArgumentsOf(script_, *text_, work_, model_, tokens, step, folder);
    if (!arguments.ok()) return arguments.error();
    AiterCommand command;
    command.arguments = {settings_.python, path_.string()};
    command.arguments.insert(command.arguments.end(), arguments->begin(), arguments->end());
    command.arguments.insert(command.arguments.end(), settings_.extra.begin(),
                             settings_.extra.end());
    command.environment = settings_.environment;
    command.environment["PYTHONUNBUFFERED"] = "1";
    // otherwise Python would write into the checkout
    command.environment["PYTHONDONTWRITEBYTECODE"] = "1";
    if (!script_.variable.empty()) {
      const fs::path seen = step == AiterStep::kBenchAfter ? tuned : home_ / "none";
      command.environment[std::string(script_.variable)] = seen.string();
    }
    command.folder = folder;
    command.log = fs::absolute(settings_.logs) /
                  fmt::format("{}_{}_{}_{}.log", script_.tuner, script_.family, name, Stamp());
    command.whose = fmt::format("{} ({})", run_.tuner, name);
    ScriptReport report;
    const auto line = [&](std::string_view text) {
      const int before = output.tuned();
      output.Add(text);
      if (output.tuned() != before) {
        observer_.progress(fmt::format("{} numbers of tokens tuned", output.tuned()));
      }
    };
    const auto ended = RunScript(command, settings_, observer_, line, report);
    if (!ended.ok()) return ended.error();
    run_.report.seconds += report.seconds;
    run_.report.starts += report.starts;
    run_.report.files.insert(run_.report.files.end(), report.files.begin(), report.files.end());
    // A failed bench does not change the outcome of the tuning.
    const bool over =
        report.outcome == ScriptOutcome::kEnded || report.outcome == ScriptOutcome::kTimedOut;
    if (step == AiterStep::kTune || over) {
      run_.report.outcome = report.outcome;
      run_.report.ended = report.ended;
    } else if (report.outcome != ScriptOutcome::kComplete) {
      observer_.note(fmt::format("{} ended with {}; see {}", command.whose, report.ended,
                                 command.log.string()));
    }
    return core::Ok();
  }

  // Reads the script's files in `folder`, and copies them to `tuned` in the engine's layout.
  core::Status Take(const fs::path& folder, const fs::path& tuned, TritonStart& start) {
    std::vector<fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".json" && entry.is_regular_file(error)) {
        found.push_back(entry.path());
      }
    }
    if (error) return core::Unwritable(folder, error);
    std::ranges::sort(found);
    for (const fs::path& file : found) {
      const auto bytes = core::FileBytes::Read(file);
      if (!bytes.ok()) return bytes.error();
      const fs::path path =
          has_folders() ? fs::path(triton_folder_) / file.filename() : fs::path(file.filename());
      auto rows = read_(path.string(), std::string(bytes->view()), run_.report.remarks);
      if (rows.empty()) continue;
      const fs::path copy = (is_sglang() ? tuned / "configs" : tuned) / path;
      if (auto made = core::MakeFolder(copy.parent_path()); !made.ok()) return made.error();
      auto written = core::WriteAtomically(copy, bytes->view());
      if (!written.ok()) return written.error();
      AddFile(path.string(), bytes->view(), run_.files);
      for (FileRow& row : rows) start.rows.push_back(std::move(row));
    }
    return core::Ok();
  }

  core::Status Start(const std::vector<int>& tokens) {
    const fs::path folder = home_ / fmt::format("start{}", starts_.size()),
                   tuned = folder / "tuned";
    if (auto made = core::MakeFolder(folder); !made.ok()) return made.error();
    TritonStart& start = starts_.emplace_back();
    if (script_.benches) {
      auto done = Step(AiterStep::kBenchBefore, tokens, folder, tuned, start.before);
      if (!done.ok() || !GoesOn()) return done;
    }
    ScriptOutput tuning;
    if (auto done = Step(AiterStep::kTune, tokens, folder, tuned, tuning); !done.ok()) return done;
    if (auto taken = Take(folder, tuned, start); !taken.ok()) return taken;
    if (!script_.benches || start.rows.empty() || !GoesOn()) return core::Ok();
    return Step(AiterStep::kBenchAfter, tokens, folder, tuned, start.after);
  }

  void Settle() {
    run_.rows = TritonRowsBody(starts_, run_);
    for (const TritonStart& start : starts_) {
      run_.report.tuned += start.rows.size();
      if (!start.rows.empty()) {
        const auto device = start.rows.front().find("device");
        if (device != start.rows.front().end()) run_.device = device->second;
      }
    }
    run_.report.shapes = std::max({run_.report.tuned, work_.grid.size(), std::size_t{1}});
    run_.report.candidates = run_.measured;
    SettleOutcome(run_.report);
  }

  const TritonSettings& settings_;
  const EngineScript& script_;
  const EngineWork& work_;
  const FileRows& read_;
  const EngineObserver& observer_;
  fs::path home_, path_;
  std::optional<ScriptText> text_;
  std::string model_, triton_folder_;
  std::vector<TritonStart> starts_;
  EngineRun run_;
};

// The rows of a table by column, without empty cells.
std::vector<FileRow> RowsOf(const std::string& csv) {
  std::vector<FileRow> rows;
  core::CsvReader reader(csv);
  core::CsvRecord record;
  std::vector<std::string> header;
  for (auto read = reader.Next(record); read.ok() && *read; read = reader.Next(record)) {
    if (header.empty()) {
      header.assign(record.fields.begin(), record.fields.end());
      continue;
    }
    FileRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < record.fields.size() && i < header.size(); ++i) {
      if (!record.fields[i].empty()) row[header[i]] = record.fields[i];
    }
  }
  return rows;
}

}  // namespace

core::Result<EngineRun> TuneTriton(const TritonSettings& settings, const EngineScript& script,
                                   const EngineWork& work, const FileRows& read,
                                   const EngineObserver& observer) {
  if (auto fits = CheckEngineWork(script, work); !fits.ok()) return fits.error();
  return Tuner(settings, script, work, read, observer).Run();
}

core::Result<FileRows> FileRowsOf(const Configuration& configuration, const EngineScript& script) {
  const auto reader = configuration.readers.Named(script.tuner);
  if (!reader.ok()) return reader.error();
  const core::Family* const family = configuration.families.Find(script.family);
  if (family == nullptr) {
    return core::Error{"unknown_family",
                       fmt::format("--configs: its families/ has no family {}", script.family)};
  }
  return FileRows([&configuration, family, reader = *reader](const std::string& path,
                                                             const std::string& bytes,
                                                             std::vector<std::string>& remarks) {
    const auto tree = core::ReadTree(*reader, configuration.targets, {{path, path, bytes}});
    for (const core::Finding& finding : tree.findings) {
      remarks.push_back(fmt::format("{}{}{}: {}: {}", finding.file,
                                    finding.member.empty() ? "" : ", M ", finding.member,
                                    finding.code, finding.detail));
    }
    if (tree.files == 0) remarks.push_back(path + ": the engine would not look for this file");
    for (const core::TreeTable& table : tree.tables) {
      if (table.family == family) return RowsOf(table.csv);
    }
    return std::vector<FileRow>();
  });
}

}  // namespace tunehub::agent
