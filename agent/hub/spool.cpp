#include "agent/hub/spool.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "core/base/hash.h"
#include "core/base/process.h"
#include "core/base/read_json.h"
#include "core/table/csv.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormat = "tunehub-batch-1", kAnyFormat = "tunehub-batch-";

core::Error BadBatch(std::string reason) {
  return {kBadBatch, std::move(reason)};
}

BatchHeader HeaderOf(const nlohmann::json& said) {
  BatchHeader header;
  header.key = said.at("key").get<std::string>();
  header.family = said.at("family").get<std::string>();
  header.file = said.at("file").get<std::string>();
  header.line_offset = said.at("line_offset").get<std::size_t>();
  header.created = said.at("created").get<std::string>();
  header.atomic = said.at("atomic").get<bool>();
  if (said.contains("run_id")) header.run_id = said.at("run_id").get<std::string>();
  if (said.contains("new_run")) {
    const nlohmann::json& run = said.at("new_run");
    header.new_run = NewRun{run.at("key").get<std::string>(), run.at("provenance")};
  }
  // A batch for no hub has no member "hub". A CSV batch has no member "content_type".
  header.hub = said.value("hub", std::string());
  header.content_type = said.value("content_type", std::string(kCsvType));
  return header;
}

// The parsed header line, and the offset of the body.
struct Head {
  nlohmann::json json;
  BatchHeader header;
  std::size_t body = 0;
};

core::Result<Head> ParseHead(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return BadBatch("the header line is missing");
  Head head{core::ReadJson(bytes.substr(0, end)), {}, end + 1};
  try {
    const auto format = head.json.at("format").get<std::string>();
    if (format != kFormat && format.starts_with(kAnyFormat)) {
      return core::Error{
          "other_version",
          fmt::format("another version of the agent made this batch: its format is {}; expected {}",
                      format, kFormat)};
    }
    if (format != kFormat) return BadBatch(fmt::format("expected a {}", kFormat));
    head.header = HeaderOf(head.json);
    return head;
  } catch (const nlohmann::json::exception& error) {
    return BadBatch(fmt::format("the header line: {}", error.what()));
  }
}

struct Cut {
  std::size_t offset = 0;  // offset of the part's first row
  std::size_t line = 0;
};

// The beginnings of the parts; empty if the table cannot be read or has no rows.
std::vector<Cut> FindCuts(std::string_view csv, std::size_t max_rows, std::size_t max_bytes) {
  core::CsvReader reader(csv);
  core::CsvRecord record;
  core::Result<bool> more = reader.Next(record);  // the header
  std::vector<Cut> cuts;
  std::size_t rows = 0;
  for (;;) {
    if (more.ok() && *more) more = reader.Next(record);
    if (!more.ok()) return {};
    if (!*more) return cuts;
    const auto offset = static_cast<std::size_t>(record.text.data() - csv.data());
    const std::size_t end = offset + record.text.size();
    if (cuts.empty() || rows == max_rows || end - cuts.back().offset > max_bytes) {
      cuts.push_back({offset, record.line});
      rows = 0;
    }
    ++rows;
  }
}

constexpr mode_t kMode = 0600;  // other users must not read a model's shapes
constexpr std::string_view kSuffix = ".batch", kWriting = ".batch.tmp", kReason = ".reason";
constexpr char kAside[] = "aside";
// A header contains a run's provenance: a few kilobytes.
constexpr std::size_t kMaxHeaderBytes = std::size_t{256} << 10;
// The age of a file that may still lack its lock. A writer locks its file just after it opens the
// file.
constexpr std::chrono::minutes kLockGrace{1};

// Refuses everything except regular files, also links. (Reading a pipe would block.)
core::Status CheckKind(const fs::path& path) {
  struct stat named {};
  // the file is gone, and opening it reports this
  if (::lstat(path.c_str(), &named) != 0) return core::Ok();
  if (S_ISREG(named.st_mode)) return core::Ok();
  return core::Error{kBadBatch, path.string() + ": expected a regular file"};
}

// Only a loop of links is final. A file that another user may read stays for that user.
core::Error NotOpened(const fs::path& path, int error) {
  const bool stays = error == ELOOP;
  return {stays ? kBadBatch : "file_unreadable", core::Unwritable(path, error).detail};
}

// True if the path still names the locked file.
bool StillThere(int fd, const fs::path& path) {
  struct stat open_file {
  }, named{};
  return ::fstat(fd, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

}  // namespace

std::string RenderBatch(const BatchHeader& header, std::string_view body) {
  nlohmann::ordered_json json = {{"format", kFormat},
                                 {"key", header.key},
                                 {"family", header.family},
                                 {"file", header.file},
                                 {"line_offset", header.line_offset},
                                 {"created", header.created},
                                 {"atomic", header.atomic},
                                 {"bytes", body.size()},
                                 {"sha256", core::Sha256Hex(body)}};
  if (!header.hub.empty()) json["hub"] = header.hub;
  if (!header.run_id.empty()) json["run_id"] = header.run_id;
  if (header.content_type != kCsvType) json["content_type"] = header.content_type;
  if (header.new_run) {
    json["new_run"] = {{"key", header.new_run->key}, {"provenance", header.new_run->provenance}};
  }
  // Rows must reach the hub even if their file's name is not UTF-8.
  std::string bytes = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  bytes.push_back('\n');
  bytes.append(body);
  return bytes;
}

core::Result<Batch> ParseBatch(std::string_view bytes) {
  auto head = ParseHead(bytes);
  if (!head.ok()) return head.error();
  Batch batch{std::move(head->header), std::string(bytes.substr(head->body))};
  try {
    if (batch.body.size() != head->json.at("bytes").get<std::size_t>() ||
        core::Sha256Hex(batch.body) != head->json.at("sha256").get<std::string>()) {
      return BadBatch("the body was changed: its size or SHA-256 is not the header's");
    }
  } catch (const nlohmann::json::exception& error) {
    return BadBatch(fmt::format("the header line: {}", error.what()));
  }
  return batch;
}

std::vector<BatchRows> SplitTable(std::string_view csv, std::size_t max_rows,
                                  std::size_t max_bytes) {
  const std::vector<Cut> cuts = FindCuts(csv, max_rows, max_bytes);
  if (cuts.size() < 2) return {{std::string(csv), 0}};
  const std::string_view header = csv.substr(0, cuts[0].offset);
  std::vector<BatchRows> parts;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::size_t end = i + 1 < cuts.size() ? cuts[i + 1].offset : csv.size();
    BatchRows part{std::string(header), cuts[i].line - cuts[0].line};
    part.csv.append(csv.substr(cuts[i].offset, end - cuts[i].offset));
    parts.push_back(std::move(part));
  }
  return parts;
}

fs::path Spool::DefaultFolder() {
  if (std::string folder = core::Environment("TUNEHUB_SPOOL"); !folder.empty()) return folder;
  std::string home = core::Environment("HOME");
  return fs::path(home.empty() ? "/var/lib" : home + "/.local/state") / "tunehub" / "spool";
}

core::Result<BatchHeader> ReadHeader(const fs::path& path) {
  if (auto status = CheckKind(path); !status.ok()) return status.error();
  const core::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.ok()) return NotOpened(path, errno);
  std::string head(kMaxHeaderBytes, '\0');
  const ssize_t got = ::read(fd.get(), head.data(), head.size());
  if (got < 0) return NotOpened(path, errno);
  head.resize(static_cast<std::size_t>(got));
  auto parsed = ParseHead(head);
  if (parsed.ok()) return std::move(parsed->header);
  return parsed.error().In(path.string());
}

core::Result<Spool> Spool::Open(const fs::path& folder, const std::string& hub) {
  if (core::Status status = core::MakeFolder(folder); !status.ok()) return status.error();
  if (::access(folder.c_str(), R_OK | W_OK | X_OK) != 0) return core::Unwritable(folder, errno);
  Spool spool(folder, hub);
  spool.ClearDeadWrites();
  return spool;
}

void Spool::ClearDeadWrites() const {
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (!entry.path().filename().string().ends_with(kWriting)) continue;
    const auto written = entry.last_write_time(error);
    if (error || now - written < kLockGrace) continue;
    const core::Fd fd(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.ok() && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
  }
}

core::Result<HeldBatch> Spool::Add(const BatchHeader& given, std::string_view body) const {
  BatchHeader header = given;
  header.hub = hub_;
  if (Files().size() >= kMaxWaitingBatches) {
    return core::Error{"spool_full",
                       fmt::format("{} is full: {} batches wait; `tunehub-agent push` sends them",
                                   folder_.string(), kMaxWaitingBatches)};
  }
  const std::string name = header.created + "-" + header.key;
  const fs::path path = folder_ / (name + std::string(kSuffix));
  const fs::path writing = folder_ / ("." + name + std::string(kWriting));
  core::Fd fd(::open(writing.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
  if (!fd.ok() || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0)
    return core::Unwritable(writing, errno);
  core::Status status = core::WriteAndSync(fd.get(), RenderBatch(header, body), writing);
  if (status.ok()) status = core::RenameDurably(writing, path);
  if (!status.ok()) {
    ::unlink(writing.c_str());
    return status.error();
  }
  return HeldBatch{path, std::move(fd), Batch{header, std::string(body)}};
}

std::vector<fs::path> Spool::Waiting() const {
  std::vector<fs::path> paths = Files();
  std::erase_if(paths, [this](const fs::path& path) {
    const auto header = ReadHeader(path);
    return header.ok() && header->hub != hub_;
  });
  return paths;
}

std::map<std::string, std::size_t> Spool::WaitingForOthers() const {
  std::map<std::string, std::size_t> others;
  for (const fs::path& path : Files()) {
    const auto header = ReadHeader(path);
    if (header.ok() && header->hub != hub_) ++others[header->hub];
  }
  return others;
}

std::optional<fs::path> Spool::Find(const std::string& part_of_key) const {
  for (const fs::path& path : Files()) {
    if (path.filename().string().find(part_of_key) == std::string::npos) continue;
    const auto header = ReadHeader(path);
    if (header.ok() && header->hub == hub_) return path;
  }
  return std::nullopt;
}

std::vector<fs::path> Spool::Files() const {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (entry.path().extension() == kSuffix) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());  // names begin with the time
  return paths;
}

core::Result<std::optional<HeldBatch>> Spool::Take(const fs::path& path) const {
  if (auto status = CheckKind(path); !status.ok()) return status.error();
  core::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.ok() && errno == ENOENT) return std::optional<HeldBatch>();
  if (!fd.ok()) return NotOpened(path, errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 || !StillThere(fd.get(), path)) {
    return std::optional<HeldBatch>();
  }
  auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return bytes.error();
  auto batch = ParseBatch(bytes->view());
  if (!batch.ok()) return batch.error().In(path.string());
  if (batch->header.hub != hub_) return std::optional<HeldBatch>();
  return std::optional<HeldBatch>(HeldBatch{path, std::move(fd), *std::move(batch)});
}

core::Status Spool::SetAside(const fs::path& path, std::string_view reason) const {
  const fs::path aside = folder_ / kAside;
  if (core::Status status = core::MakeFolder(aside); !status.ok()) return status;
  fs::path name = aside / path.filename();
  if (core::Status status = core::RenameDurably(path, name); !status.ok()) return status;
  name += kReason;
  return core::WriteDurably(name, std::string(reason) + "\n");
}

std::size_t Spool::CountWaiting(const fs::path& folder) {
  return Spool(folder).Files().size();
}

std::size_t Spool::CountAside(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator files(folder / kAside, error);
  return static_cast<std::size_t>(std::ranges::count_if(
      files, [](const auto& entry) { return entry.path().extension() != kReason; }));
}

core::Status Spool::Done(const HeldBatch& held) const {
  return core::RemoveDurably(held.path);
}

core::Status Spool::Refuse(const HeldBatch& held, std::string_view answer) const {
  const fs::path refused = folder_ / "refused";
  if (core::Status status = core::MakeFolder(refused); !status.ok()) return status;
  // Writes the answer first. After a crash in between, the batch still waits, and the hub refuses
  // it again.
  const std::string name = held.path.stem().string() + ".answer.json";
  if (core::Status status = core::WriteDurably(refused / name, answer); !status.ok()) return status;
  return core::RenameDurably(held.path, refused / held.path.filename());
}

}  // namespace tunehub::agent
