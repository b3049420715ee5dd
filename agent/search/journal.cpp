#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "agent/search/session.h"
#include "core/base/file.h"
#include "core/base/read_json.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kFormat = "tunehub-tune-1";
constexpr mode_t kMode = 0600;  // like the spool's, since a model's shapes may be secret

nlohmann::json IndexJson(const std::optional<std::size_t>& index) {
  return index ? nlohmann::json(*index) : nlohmann::json();
}

std::optional<std::size_t> ReadIndex(const nlohmann::json& json, std::size_t size) {
  if (!json.is_number_unsigned() || json.get<std::size_t>() >= size) return std::nullopt;
  return json.get<std::size_t>();
}

nlohmann::json DoneJson(const DoneShape& done) {
  nlohmann::json measurements = nlohmann::json::array();
  for (const Measurement& it : done.measurements) measurements.push_back(ToJson(it));
  return {{"batch", done.batch},
          {"created", done.created},
          {"shape", done.shape},
          {"measurements", std::move(measurements)},
          {"reason", done.reason},
          {"spread", done.spread},
          {"winner", IndexJson(done.winner)},
          {"fallback", IndexJson(done.fallback)}};
}

core::Result<DoneShape> DoneOf(const nlohmann::json& json) {
  DoneShape done{json.at("batch").get<std::string>(),
                 json.at("created").get<std::string>(),
                 json.at("shape").get<Columns>(),
                 {},
                 {},
                 {},
                 json.at("reason").get<std::string>()};
  done.spread = json.value("spread", 0.0);
  for (const nlohmann::json& it : json.at("measurements")) {
    auto measurement = MeasurementOf(it);
    if (!measurement.ok()) return measurement.error();
    done.measurements.push_back(*std::move(measurement));
  }
  done.winner = ReadIndex(json.at("winner"), done.measurements.size());
  done.fallback = ReadIndex(json.at("fallback"), done.measurements.size());
  return done;
}

}  // namespace

core::Result<Journal> Journal::Open(const std::filesystem::path& path, const NewRun& run) {
  if (auto status = core::MakeFolder(path.parent_path()); !status.ok()) return status.error();
  Journal journal;
  journal.path_ = path;
  journal.fd_ = core::Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, kMode));
  if (!journal.fd_.ok()) {
    return core::Unwritable(path, errno);
  }
  if (::flock(journal.fd_.get(), LOCK_EX | LOCK_NB) != 0) {
    return core::Error{"journal_in_use",
                       path.string() + ": another process is tuning these shapes"};
  }
  if (auto status = journal.Read(); !status.ok()) return status.error();
  if (journal.run_.key.empty()) {
    journal.run_ = run;
    auto status = journal.Append(
        {{"journal", kFormat}, {"run", {{"key", run.key}, {"provenance", run.provenance}}}}, true);
    if (status.ok()) status = core::SyncFolder(path.parent_path());
    if (!status.ok()) return status.error();
  }
  return journal;
}

core::Status Journal::Read() {
  auto bytes = core::FileBytes::Read(path_.string());
  if (!bytes.ok()) return bytes.error();
  const std::string_view text = bytes->view();
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos;
       begin = end + 1, end = text.find('\n', begin)) {
    const auto line = core::ReadJson(text.substr(begin, end - begin));
    auto status =
        line.is_object() ? Take(line) : core::Error{"bad_journal", "expected a JSON object"};
    if (!status.ok()) return SetAside(text.substr(begin), begin, status.error().detail);
  }
  if (begin == text.size()) return core::Ok();
  if (text[begin] == '{') return CutAt(begin);  // a crash cut the line off
  return SetAside(text.substr(begin), begin, "expected a JSON object");
}

core::Status Journal::CutAt(std::size_t begin) {
  if (::ftruncate(fd_.get(), static_cast<off_t>(begin)) == 0) return core::Ok();
  return core::Unwritable(path_, errno);
}

core::Status Journal::SetAside(std::string_view rest, std::size_t begin, const std::string& why) {
  std::filesystem::path aside = path_;
  aside += ".damaged";
  if (auto status = core::WriteDurably(aside, rest); !status.ok()) return status;
  damage_ = fmt::format(
      "{}: damaged from byte {} ({}). The tuner moved the damaged part to {} and measures its "
      "shapes again",
      path_.string(), begin, why, aside.filename().string());
  return CutAt(begin);
}

core::Status Journal::Take(const nlohmann::json& line) {
  try {
    if (line.contains("journal")) {
      if (line.at("journal").get<std::string>() != kFormat) {
        return core::Error{"bad_journal", fmt::format("expected a {}", kFormat)};
      }
      if (!run_.key.empty()) return core::Error{"bad_journal", "a second first line"};
      run_ = {line.at("run").at("key").get<std::string>(), line.at("run").at("provenance")};
    } else if (run_.key.empty()) {
      return core::Error{"bad_journal", "no first line"};
    } else if (line.contains("spooled")) {
      spooled_.insert(line.at("spooled").get<std::string>());
    } else if (line.contains("screened")) {
      auto measurement = MeasurementOf(line.at("screened"));
      if (!measurement.ok()) return measurement.error();
      screened_[line.at("shape").get<std::string>()].push_back(*std::move(measurement));
    } else {
      auto done = DoneOf(line.at("done"));
      if (!done.ok()) return done.error();
      done_[line.at("shape").get<std::string>()] = *std::move(done);
    }
    return core::Ok();
  } catch (const nlohmann::json::exception& error) {
    return core::Error{"bad_journal", error.what()};
  }
}

core::Status Journal::Append(const nlohmann::json& line, bool sync) {
  const std::string text =
      line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (sync) return core::WriteAndSync(fd_.get(), text, path_);
  // After a kill during one write, the line is complete. On a full disk a part of the line may
  // remain, which Open() cuts off.
  const ssize_t written = ::write(fd_.get(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return core::Ok();
  return core::Unwritable(path_, written < 0 ? errno : ENOSPC);
}

core::Status Journal::Screened(const std::string& shape, const Measurement& measurement) {
  return Append({{"shape", shape}, {"screened", ToJson(measurement)}}, false);
}

core::Status Journal::Done(const std::string& shape, const DoneShape& done) {
  if (auto status = Append({{"shape", shape}, {"done", DoneJson(done)}}, true); !status.ok()) {
    return status;
  }
  done_[shape] = done;
  return core::Ok();
}

core::Status Journal::Spooled(const std::string& batch) {
  spooled_.insert(batch);
  return Append({{"spooled", batch}}, false);
}

core::Status Journal::Remove() {
  return core::RemoveDurably(path_);
}

}  // namespace tunehub::agent
