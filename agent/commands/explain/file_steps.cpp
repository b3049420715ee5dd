#include "agent/commands/explain/file_steps.h"

#include <fmt/core.h>

#include <set>

#include "core/base/percent.h"

namespace tunehub::agent {
namespace {

// "triton_3_5_1/E%3D8%2C....json": its slashes stay.
std::string UrlPath(std::string_view path) {
  std::string url;
  for (;;) {
    const std::size_t slash = path.find('/');
    url += core::PercentEncoded(path.substr(0, slash));
    if (slash == std::string_view::npos) return url;
    url += '/';
    path.remove_prefix(slash + 1);
  }
}

std::string BareName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

std::string Curl(const StepContext& context, const core::NamedFile& file,
                 const std::string& query) {
  return fmt::format("curl -fo {} {}", ShellWord(BareName(file.path)),
                     ShellWord(fmt::format("{}/files/{}/{}{}", context.hub, file.reader,
                                           UrlPath(file.path), query)));
}

// How the nearest rows of another kind are asked for; "": as the file's own.
std::string QueryFor(const FileMatch& match) {
  switch (match.like) {
    case FileLike::kSibling:
    case FileLike::kOtherName:
      return "?borrow=sibling";
    case FileLike::kOtherTriton:
      return "?triton=" + core::PercentEncoded(match.triton);
    case FileLike::kOtherEngine:
      return "?from=" + core::PercentEncoded(match.engine);
    case FileLike::kOwn:
    case FileLike::kOtherDevice:
      break;
  }
  return "";
}

std::string DeviceOf(const core::NamedFile& file) {
  for (const auto& [name, value] : file.key) {
    if (name == "device") return value;
  }
  return "";
}

// Whole folders, for the reader's variable.
NextStep FetchFiles(const Explanation& explanation, const StepContext& context) {
  NextStep step{"The hub has rows for these files. One by its name, or the device's folder:", {}};
  std::set<std::pair<std::string, std::string>> folders;
  for (const ExplainedFile& it : explanation.files) {
    if (!it.has_rows()) continue;
    const core::NamedFile& file = it.miss.file;
    if (step.lines.empty()) step.lines.push_back(Curl(context, file, ""));
    if (!folders.emplace(file.reader, DeviceOf(file)).second) continue;
    step.lines.push_back(fmt::format("tunehub-agent pull --hub {} --reader {} --device {} -o {}",
                                     ShellWord(context.hub), file.reader, ShellWord(DeviceOf(file)),
                                     file.reader + "_configs"));
  }
  return step;
}

NextStep BorrowFiles(const Explanation& explanation, const StepContext& context) {
  NextStep step{"Rows that were made for something else, if you want them:", {}};
  for (const ExplainedFile& it : explanation.files) {
    if (it.has_rows() || it.matches.empty()) continue;
    const std::string query = QueryFor(it.matches.front());
    if (!query.empty()) step.lines.push_back(Curl(context, it.miss.file, query));
  }
  return step;
}

NextStep WantFiles(const Explanation& explanation, const StepContext& context) {
  bool wanted = false;
  std::set<std::string> readers;
  for (const ExplainedFile& it : explanation.files) {
    if (it.has_rows()) continue;
    wanted = true;
    readers.insert(it.miss.file.reader);
  }
  if (!wanted) return {};
  std::string logs;
  for (const std::string& log : context.logs) logs += " " + ShellWord(log);
  if (context.takes_demand) {
    return {"Have the hub's agents tune the files that have no rows:",
            {fmt::format("tunehub-agent capture{} --hub {}", logs, ShellWord(context.hub))}};
  }
  NextStep step{"Tune the files that have no rows, on such a device:",
                {fmt::format("tunehub-agent capture{} -o untuned", logs)}};
  for (const std::string& reader : readers) {
    std::set<std::string> families;
    for (const ExplainedFile& it : explanation.files) {
      if (it.has_rows() || it.miss.file.reader != reader) continue;
      if (!families.insert(it.miss.file.family).second) continue;
      step.lines.push_back(
          fmt::format("tunehub-agent tune --tuner {} -i untuned/{}_untuned.csv -o {}.csv", reader,
                      it.miss.file.family, it.miss.file.family));
    }
  }
  return step;
}

// Rows that lie in a folder here are the hub's once they are imported.
NextStep ImportFiles(const Explanation& explanation, const StepContext& context) {
  NextStep step{"These tables have rows for some: give them to a hub, and it serves the files:",
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

std::vector<NextStep> FileSteps(const Explanation& explanation, const StepContext& context) {
  std::vector<NextStep> steps;
  const auto add = [&](NextStep step) {
    if (!step.lines.empty()) steps.push_back(std::move(step));
  };
  if (explanation.files.empty() || explanation.error) return steps;
  if (!context.hub.empty()) {
    add(FetchFiles(explanation, context));
    add(BorrowFiles(explanation, context));
  } else {
    add(ImportFiles(explanation, context));
  }
  add(WantFiles(explanation, context));
  return steps;
}

}  // namespace tunehub::agent
