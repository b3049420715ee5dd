#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "agent/base/terminal.h"
#include "agent/capture/explanation.h"
#include "agent/engines/engine_run.h"
#include "core/base/encoding.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

// "triton_3_5_1/E%3D8%2C....json": keeps slashes.
std::string UrlPath(std::string_view path) {
  const auto parts = core::Mapped(core::SplitAt(path, "/"), core::PercentEncoded);
  return fmt::format("{}", fmt::join(parts, "/"));
}

// `path`: the file's path, or only its name.
std::string Curl(const StepContext& context, const core::NamedFile& file, std::string_view path,
                 const std::string& query) {
  return fmt::format(
      "curl -fo {} {}", ShellWord(core::BaseName(path)),
      ShellWord(fmt::format("{}/files/{}/{}{}", context.hub, file.reader, UrlPath(path), query)));
}

// The query that borrows the rows of a match; "" if there is none.
std::string QueryFor(const FileMatch& match) {
  const FileLike like = match.like;
  if (like == FileLike::kSibling || like == FileLike::kOtherName) return "?borrow=sibling";
  if (like == FileLike::kOtherTriton) return "?triton=" + core::PercentEncoded(match.triton);
  return like == FileLike::kOtherEngine ? "?from=" + core::PercentEncoded(match.engine) : "";
}

// "" if the file names no device; then the command fetches the files of all devices.
std::string DeviceWords(const core::NamedFile& file) {
  const std::string device(CellNamed(file, "device"));
  return device.empty() ? "" : " --device " + ShellWord(device);
}

// True if another device's files have rows. A second pull into the folder would replace the first
// device's files.
bool HasOtherDevices(const Explanation& explanation, const core::NamedFile& file) {
  return std::ranges::any_of(explanation.files, [&](const ExplainedFile& it) {
    return it.has_rows() && it.miss.file.reader == file.reader &&
           CellNamed(it.miss.file, "device") != CellNamed(file, "device");
  });
}

// True if `pull` without --family fetches the file: `pull` takes the first store with a variable.
bool IsPulled(const core::Reader* reader, const core::NamedFile& file) {
  if (reader == nullptr) return false;
  const auto first = std::ranges::find_if(reader->stores, &core::ReaderStore::variable);
  return first != reader->stores.end() && first->family->name == file.family;
}

// Returns the command that fetches all files of a device, into the folder that the reader's
// variable names, or else into the engine's own folder.
std::string FetchAll(const Configuration& configuration, const Explanation& explanation,
                     const StepContext& context, const core::NamedFile& file) {
  const std::string of = fmt::format(" --hub {} --reader {}", ShellWord(context.hub), file.reader);
  if (IsPulled(configuration.readers.Find(file.reader), file)) {
    const std::string device = HasOtherDevices(explanation, file) ? "" : DeviceWords(file);
    return fmt::format("tunehub-agent pull{}{} -o {}_configs", of, device, file.reader);
  }
  return fmt::format("tunehub-agent install SITE_PACKAGES{} --family {}{}", of, file.family,
                     DeviceWords(file));
}

NextStep FetchFiles(const Configuration& configuration, const Explanation& explanation,
                    const StepContext& context) {
  NextStep step{"The hub has rows for these files. Fetch one by name, or all files of the device:",
                {}};
  std::set<std::string> lines;
  for (const ExplainedFile& it : explanation.files) {
    if (!it.has_rows()) continue;
    if (step.lines.empty())
      step.lines.push_back(Curl(context, it.miss.file, it.miss.file.path, ""));
    std::string all = FetchAll(configuration, explanation, context, it.miss.file);
    if (lines.insert(all).second) step.lines.push_back(std::move(all));
  }
  return step;
}

NextStep BorrowFiles(const Explanation& explanation, const StepContext& context) {
  NextStep step{
      "These rows were made for another device, version or engine. If you want to use them here:",
      {}};
  for (const ExplainedFile& it : explanation.files) {
    if (it.has_rows() || it.matches.empty()) continue;
    const std::string query = QueryFor(it.matches.front());
    if (query.empty()) continue;
    // A path with its folder would also name a Triton version.
    const bool bare = it.matches.front().like == FileLike::kOtherTriton;
    const std::string& path = it.miss.file.path;
    step.lines.push_back(Curl(context, it.miss.file, bare ? core::BaseName(path) : path, query));
  }
  return step;
}

// Tunes with the engines' own scripts, which need arguments that a file name does not contain.
NextStep TuneFiles(const Explanation& explanation, const StepContext& context) {
  NextStep step{
      "For the files without rows, run the engine's own tune script on a device of this kind. Fill "
      "in the engine's checkout, and the log's model and parallelism:",
      {}};
  std::set<std::string> lines;
  for (const ExplainedFile& it : explanation.files) {
    const core::NamedFile& file = it.miss.file;
    const auto* const script = FindEngineScript(file.reader, file.family);
    if (it.has_rows() || script == nullptr) continue;
    std::string line = fmt::format("tunehub-agent tune --tuner {} --family {} --engine CHECKOUT",
                                   file.reader, file.family);
    if (script->model) line += " --model MODEL";
    line += " --tp TP";
    const std::string dtype(CellNamed(file, "dtype"));
    if (script->model && !dtype.empty()) line += " --dtype " + ShellWord(dtype);
    if (context.takes_demand) line += " --hub " + ShellWord(context.hub);
    lines.insert(line + " -o found");
  }
  step.lines.assign(lines.begin(), lines.end());
  return step;
}

// Imports a local folder, so that the hub serves its rows.
NextStep ImportFiles(const Explanation& explanation, const StepContext& context) {
  NextStep step{
      "These tables have rows for some of the files. Import them into a hub to serve the files:",
      {}};
  std::set<std::string> readers;
  for (const ExplainedFile& it : explanation.files) {
    if (it.has_rows()) readers.insert(it.miss.file.reader);
  }
  for (const std::string& reader : readers) {
    for (const std::string& table : context.tables) {
      step.lines.push_back(
          fmt::format("tunehub-agent import --reader {} {} --hub URL", reader, ShellWord(table)));
    }
  }
  return step;
}

}  // namespace

std::vector<NextStep> FileSteps(const Configuration& configuration, const Explanation& explanation,
                                const StepContext& context) {
  std::vector<NextStep> steps;
  const auto add = [&](NextStep step) {
    if (!step.lines.empty()) steps.push_back(std::move(step));
  };
  if (explanation.files.empty() || explanation.error) return steps;
  if (context.takes_demand) {  // a static export has no files of readers
    add(FetchFiles(configuration, explanation, context));
    add(BorrowFiles(explanation, context));
  } else if (context.hub.empty()) {
    add(ImportFiles(explanation, context));
  }
  add(TuneFiles(explanation, context));
  return steps;
}

}  // namespace tunehub::agent
