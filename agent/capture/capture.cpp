#include "agent/capture/capture.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <ostream>

#include "agent/tables/input_family.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

constexpr std::streamsize kMostOfALine = 4096;  // enough for an operator and its parameters

// Decides by the file's name. For a CSV with another name, decides by its first line, because
// TunableOp's list may have any name (PYTORCH_TUNABLEOP_UNTUNED_FILENAME).
bool ListsMisses(const std::string& path) {
  if (core::IsUntunedFileName(path)) return true;
  if (!path.ends_with(".csv")) return false;
  std::ifstream file(path);
  std::string first(kMostOfALine, '\0');
  file.read(first.data(), kMostOfALine);
  first.resize(static_cast<std::size_t>(file.gcount()));
  return core::IsTunableList(std::string_view(first).substr(0, first.find('\n')));
}

// The untuned files of the folder, by name, sorted. Errors: file_unreadable.
core::Result<std::vector<std::string>> UntunedFilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string path = it->path().string();
    std::error_code unknown;
    if (core::IsUntunedFileName(path) && it->is_regular_file(unknown)) files.push_back(path);
  }
  if (error) return core::Error{"file_unreadable", folder + ": " + error.message()};
  std::ranges::sort(files);
  return files;
}

using Clock = std::chrono::steady_clock;

// Capture notices a signal or the end of an interval within this time.
constexpr std::chrono::milliseconds kWait{250};

core::Result<core::MissLogOptions> LogOptions(const Configuration& configuration,
                                              const CaptureOptions& options) {
  core::MissLogOptions log;
  log.hits = options.hits;
  log.files = core::FileLinesOf(configuration.readers);
  log.remarks = core::RemarksOf(configuration.readers);
  if (!options.family.empty()) {
    const auto family = configuration.families.Named(options.family);
    if (!family.ok()) return family.error();
    log.family = *family;
  }
  if (!options.gfx.empty()) {
    const auto target = core::KnownTarget(configuration.targets, options.gfx, options.cu_num);
    if (!target.ok()) return target.error();
    log.gfx = target->gfx;
    if (target->cu_num > 0) log.cu_num = std::to_string(target->cu_num);
  } else if (options.cu_num > 0) {
    log.cu_num = std::to_string(options.cu_num);
  }
  return log;
}

// Reads one log into `log`, and calls the sink at the end of each interval.
struct Reading {
  const Configuration& configuration;
  const CaptureOptions& options;
  const core::MissLogOptions& log_options;
  const CaptureSink& sink;
  core::MissLog& log;
  Console& console;
  Clock::time_point due = NextDue();

  // Reads a log, an engine's list of misses, or a folder of such lists.
  core::Status ReadAll(const std::string& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) return ReadFolder(path);
    if (path != "-" && !options.follow && ListsMisses(path)) return ReadList(path);
    if (const auto family = FamilyOfTable(path)) {
      return core::Error{
          "bad_log", fmt::format("{}: is a tuned table of {}, not a log. Its rows: tunehub-agent "
                                 "check {}",
                                 path, (*family)->name, path)};
    }
    return ReadLog(path);
  }

  // The family of a tuned table that was named in place of a log.
  std::optional<const core::Family*> FamilyOfTable(const std::string& path) const {
    if (!path.ends_with(".csv")) return std::nullopt;
    const auto family = FamilyOfPath(configuration.families, "", path);
    return family.ok() ? std::optional(*family) : std::nullopt;
  }

  core::Status ReadLog(const std::string& path) {
    auto source = LogSource::Open(path, options.follow);
    if (!source.ok()) return source.error();
    while (!options.stop()) {
      auto next = source->Read(kWait);
      if (!next.ok()) return next.error();
      if (next->state == LogSource::State::kMore) log.Feed(next->bytes);
      if (next->state == LogSource::State::kOther) log.Finish();
      if (next->state == LogSource::State::kEnd) break;
      HandOnIfDue();
    }
    log.Finish();
    return core::Ok();
  }
  core::Status ReadFolder(const std::string& path) {
    if (options.follow)
      return core::Error{"bad_follow", path + " is a folder, but --follow reads one log file"};
    const auto files = UntunedFilesIn(path);
    if (!files.ok()) return files.error();
    if (files->empty()) {
      return core::Error{"no_untuned", path +
                                           ": this folder has no *untuned*.csv of AITER. To read "
                                           "a log, pass the log's file"};
    }
    // AITER writes a file for each of its tables, including tables that no family describes.
    for (const std::string& file : *files) {
      const core::Status read = ReadList(file);
      if (read.ok()) continue;
      const std::string& code = read.error().code;
      if (code != "unknown_family" && code != "ambiguous_family" && code != "csv_not_text")
        return read;
      log.AddUnread(read.error().detail);
    }
    return core::Ok();
  }
  core::Status ReadList(const std::string& path) {
    const auto bytes = core::FileBytes::Read(path);
    if (!bytes.ok()) return bytes.error();
    auto file = core::ReadUntunedFile(configuration.families, path, bytes->view(), log_options,
                                      options.device);
    if (!file.ok()) return file.error();
    for (core::MissShape& shape : file->shapes) log.Add(std::move(shape));
    for (const core::RowIssue& it : file->unread) {
      log.AddUnread(fmt::format("{}:{}: {}", path, it.line, it.detail));
    }
    return core::Ok();
  }

  Clock::time_point NextDue() const {
    return Clock::now() + std::chrono::seconds(options.interval_s);
  }
  void HandOnIfDue() {
    if (!options.follow || Clock::now() < due) return;
    const core::Status status = sink(log, false);
    if (!status.ok()) {
      console.err << "tunehub-agent capture: " << status.error().detail << " ("
                  << status.error().code << "); capture tries again later\n";
    }
    due = NextDue();
  }
};

}  // namespace

void AddLogOptions(cli::CommandLine& line, CaptureOptions& options, std::string& configs) {
  line.Add("--family", options.family, "the family of lines that name no family");
  line.Add("--gfx", options.gfx, "the GPU of lines that name none: MI300X, or gfx942");
  line.Add("--cu-num", options.cu_num, "the number of CUs of lines that name none")
      .Range(1, core::kMaxCuNum);
  line.Add("--device", options.device, "the device of files that name none: NVIDIA_H200");
  line.Add("--configs", configs, "folder with families/ and targets.json");
}

core::Result<core::MissCounts> Capture(const Configuration& configuration,
                                       const CaptureOptions& options, const CaptureSink& sink,
                                       Console& console) {
  auto log_options = LogOptions(configuration, options);
  if (!log_options.ok()) return log_options.error();
  const std::vector<std::string> paths =
      options.logs.empty() ? std::vector<std::string>{"-"} : options.logs;
  if (options.follow && paths.size() > 1) {
    return core::Error{"bad_follow",
                       fmt::format("--follow reads one log; {} were given", paths.size())};
  }
  core::MissLog log(configuration.families, *log_options);
  Reading reading{configuration, options, *log_options, sink, log, console};
  for (const std::string& path : paths) {
    if (core::Status read = reading.ReadAll(path); !read.ok()) return read.error();
  }
  if (core::Status delivered = sink(log, true); !delivered.ok()) return delivered.error();
  return log.counts();
}

Missed TakeMissed(core::MissLog& log, const Configuration& configuration) {
  Missed missed{log.Take(), {}, log.OtherFiles(), log.Misnamed(), log.Remarks()};
  missed.files = log.TakeFiles();
  missed.shapes = core::AllMissShapes(configuration.families, configuration.targets,
                                      std::move(missed.shapes), missed.files);
  return missed;
}

Missed AllMissed(const core::MissLog& log, const Configuration& configuration) {
  Missed missed{log.Shapes(), log.Files(), log.OtherFiles(), log.Misnamed(), log.Remarks()};
  missed.shapes = core::AllMissShapes(configuration.families, configuration.targets,
                                      std::move(missed.shapes), missed.files);
  return missed;
}

}  // namespace tunehub::agent
