#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/base/terminal.h"
#include "agent/hub/hub_client.h"
#include "agent/install/commands.h"
#include "agent/transfer/commands.h"
#include "core/base/encoding.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/read_json.h"
#include "core/readers/tunable_file.h"

namespace tunehub::agent {
namespace {

// FILE.etag contains the hub's ETag of FILE, so that the next pull need not transfer unchanged
// bytes.
std::filesystem::path EtagPath(const std::filesystem::path& file) {
  return file.string() + ".etag";
}

// Returns the ETag to send. Returns "" if FILE is missing, if somebody changed it, or if another
// request fetched it.
std::string KnownEtag(const std::filesystem::path& file, const std::string& target) {
  auto state = core::FileBytes::Read(EtagPath(file));
  auto bytes = core::FileBytes::Read(file);
  if (!state.ok() || !bytes.ok()) return "";
  const auto json = core::ReadJson(state->view());
  if (!json.is_object()) return "";
  const bool same = json.value("target", nlohmann::json()) == target &&
                    json.value("sha256", nlohmann::json()) == core::Sha256Hex(bytes->view());
  const auto etag = json.value("etag", nlohmann::json());
  return same && etag.is_string() ? etag.get<std::string>() : "";
}

constexpr std::size_t kNamed = 5;  // the most files that a message names

core::Error ForeignFiles(const TreeFolder& folder, const std::vector<std::string>& foreign) {
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, foreign.size()); ++i) {
    names += (i > 0 ? ", " : "") + foreign[i];
  }
  if (foreign.size() > kNamed) names += fmt::format(" and {} more", foreign.size() - kNamed);
  return {"foreign_files",
          fmt::format("{} has files that no pull wrote, or that someone changed after a pull: {}. "
                      "Move these files away, or pass --force, which moves the old folder to {}",
                      folder.place().string(), names, folder.before().string())};
}

// TunableOp's results are one body. Copies it to each file name that PyTorch opens. Does nothing
// for readers whose variable names a folder.
void NameFiles(const PullOptions& options, Tree& tree) {
  if (tree.value.empty() || tree.files.empty()) return;
  const std::string body = std::move(tree.files.begin()->second);
  tree.files.clear();
  for (int gpu = 0; gpu < options.gpus; ++gpu) {
    tree.files.emplace(core::TunableFileName(options.file_name, gpu), body);
  }
  tree.value = "/" + options.file_name;
}

// True if the folder's files have the names that follow from --file-name and --gpus.
bool HasNames(const TreeOrigin& origin, const PullOptions& options) {
  if (origin.value.empty() || origin.files.empty()) return true;
  return origin.value == "/" + options.file_name &&
         origin.files.size() == static_cast<std::size_t>(options.gpus);
}

}  // namespace

std::optional<core::Pin> RevisionOf(const Answer& answer) {
  return core::ParsePin(answer.Header("tunehub-pin"));
}

void PullOne::AddRevision(nlohmann::ordered_json& report, const core::Pin& revision) {
  report["revision"] = revision.number;
  report["pin"] = revision.Text();
}

core::Result<Answer> PullOne::Ask(const std::string& target, const std::string& etag,
                                  const std::string& content_type) {
  Request request{"GET", target, {{"Accept", content_type}}, ""};
  if (!etag.empty()) request.headers.emplace_back("If-None-Match", etag);
  auto answer = SendWithRetries(hub_, request, options_.retry, pauses_);
  if (!answer.ok()) return answer.error();
  Warn(*answer);
  if (!etag.empty() && answer->status == 304) return answer;
  if (answer->status != 200) return ToError(ProblemOf(*answer));
  if (!answer->Header("content-type").starts_with(content_type)) {
    return core::Error{"bad_answer", fmt::format("the hub answered 200 with '{}'; expected {}",
                                                 answer->Header("content-type"), content_type)};
  }
  return answer;
}

void PullOne::Warn(const Answer& answer) {
  const std::string warning = answer.Header("warning");
  if (!warning.empty()) console_.err << "tunehub-agent pull: the hub warns: " << warning << '\n';
}

core::Result<Pulled> TablePull::Get(const std::string& target, bool /*whole*/) {
  auto answer = Ask(target, KnownEtag(options().output, target), "text/csv");
  if (!answer.ok()) return answer.error();
  const std::string signature = answer->Header("tunehub-signature");
  Pulled table{std::move(answer->body), "",
               answer->Header("etag"),  RevisionOf(*answer),
               answer->status == 304,   core::FromBase64(signature).value_or(signature)};
  if (table.unchanged) {
    auto bytes = core::FileBytes::Read(options().output);
    if (!bytes.ok()) return bytes.error();
    table.bytes = bytes->view();
  }
  table.sha256 = core::Sha256Hex(table.bytes);
  return table;
}

core::Status TablePull::Write(const std::string& target, const Pulled& table) {
  if (table.unchanged) return core::Ok();
  if (core::Status status = core::WriteAtomically(options().output, table.bytes); !status.ok()) {
    return status;
  }
  if (core::ParseSignature(table.signature).ok()) {  // for minisign -V
    const core::Status kept = core::WriteAtomically(options().output + ".minisig", table.signature);
    if (!kept.ok()) return kept;
  }
  if (table.etag.empty()) return core::Ok();
  const nlohmann::ordered_json json = {
      {"etag", table.etag}, {"target", target}, {"sha256", table.sha256}};
  return core::WriteAtomically(EtagPath(options().output), json.dump() + "\n");
}

void TablePull::Report(const Pulled& table) const {
  const auto lines =
      static_cast<std::size_t>(std::count(table.bytes.begin(), table.bytes.end(), '\n'));
  const std::size_t rows = lines == 0 ? 0 : lines - 1;
  if (options().json) {
    nlohmann::ordered_json report = {{"family", options().family},
                                     {"file", options().output},
                                     {"rows", rows},
                                     {"sha256", table.sha256},
                                     {"unchanged", table.unchanged}};
    if (table.revision) AddRevision(report, *table.revision);
    console().out << report.dump(2) << '\n';
    return;
  }
  console().out << options().output << ": " << rows << " rows of " << options().family;
  if (table.revision) console().out << ", revision " << table.revision->number;
  console().out << (table.unchanged ? ", unchanged\n" : "\n");
}

void TablePull::Warn(const Answer& answer) {
  const std::string missing = answer.Header("tunehub-missing-targets");
  if (!missing.empty()) console().err << "tunehub-agent pull: no rows for " << missing << '\n';
  const std::string unsaid = answer.Header("tunehub-unknown-provenance");
  if (!unsaid.empty() && unsaid != "0") {
    console().err << "tunehub-agent pull: " << unsaid
                  << " candidates were left out, because their runs lack a requested NAME; --query "
                     "prefer=NAME=VALUE uses such candidates if there are no others\n";
  }
  PrintBuildReport(ReadBuildReport(answer), absent_, "tunehub-agent pull", console());
  PullOne::Warn(answer);
}

core::Result<TreeFolder> TreePull::OpenFolder() {
  auto folder = TreeFolder::Open(options().output);
  if (!folder.ok()) return folder;
  const std::string place = folder->place().string();
  if (options().reader == core::kTunableReader &&
      place.find(core::kGpuNumber) != std::string::npos) {
    return core::Error{"bad_options",
                       fmt::format("-o {}: the folder's name contains %d, and PyTorch would put "
                                   "the GPU's number there instead of in the file's name",
                                   place)};
  }
  const auto foreign = folder->Foreign();
  if (!foreign.ok()) return foreign.error();
  gave_up_files_ = !foreign->empty();
  if (gave_up_files_ && !options().force) return ForeignFiles(*folder, *foreign);
  return folder;
}

core::Result<Pulled> TreePull::Get(const std::string& target, bool whole) {
  const auto folder = OpenFolder();
  if (!folder.ok()) return folder.error();
  const TreeOrigin* const origin = gave_up_files_ ? nullptr : folder->origin();
  const bool named = origin != nullptr && HasNames(*origin, options());
  const bool asked = named && origin->target == target && !whole;
  auto answer = Ask(target, asked ? origin->etag : "", "application/gzip");
  if (!answer.ok()) return answer.error();
  Pulled pulled{"", "", answer->Header("etag"), RevisionOf(*answer), answer->status == 304};
  if (pulled.unchanged) {
    pulled.sha256 = origin->sha256;
    tree_.reset();
    return pulled;
  }
  auto tree = ParseTree(answer->body, reader_);
  if (!tree.ok()) return tree.error();
  pulled.bytes = tree->sums.text;
  pulled.signature = tree->sums.signature;
  pulled.sha256 = tree->sha256;
  pulled.unchanged = named && origin->sha256 == tree->sha256;
  NameFiles(options(), *tree);
  tree_ = *std::move(tree);
  return pulled;
}

core::Status TreePull::Write(const std::string& target, const Pulled& pulled) {
  if (!tree_) {  // the files are unchanged, but other files may remain from a killed pull
    if (const auto folder = TreeFolder::Open(options().output); folder.ok()) folder->Tidy();
    return core::Ok();
  }
  // Checks again, since somebody may have added files since Get().
  const auto folder = OpenFolder();
  if (!folder.ok()) return folder.error();
  if (!pulled.unchanged) return folder->Replace(*tree_, target, pulled.etag);
  folder->Tidy();
  return folder->Remember(*tree_, target, pulled.etag);
}

void TreePull::Report(const Pulled& pulled) const {
  const auto folder = TreeFolder::Open(options().output);
  const TreeOrigin origin =
      folder.ok() && folder->origin() != nullptr ? *folder->origin() : TreeOrigin{};
  const core::ReaderStore* const store = reader_.StoreOf(origin.family);
  const bool variable = store != nullptr && store->variable;
  const std::string value = variable ? folder->place().string() + origin.value : "";
  const auto set = [&](const std::string& word) {
    return variable ? fmt::format("{}={}", reader_.variable, word) : "";
  };
  if (options().json) {
    nlohmann::ordered_json report = {{"reader", options().reader}, {"family", origin.family},
                                     {"folder", options().output}, {"files", origin.files.size()},
                                     {"sha256", pulled.sha256},    {"unchanged", pulled.unchanged},
                                     {"environment", set(value)}};
    if (pulled.revision) AddRevision(report, *pulled.revision);
    console().out << report.dump(2) << '\n';
    return;
  }
  console().out << options().output << ": " << origin.files.size() << " files of "
                << options().reader << " (" << origin.family << ")";
  if (pulled.revision) console().out << ", revision " << pulled.revision->number;
  console().out << (pulled.unchanged ? ", unchanged\n" : "\n");
  if (gave_up_files_ && !pulled.unchanged && folder.ok()) {
    console().out << "the old folder is now " << folder->before().string() << '\n';
  }
  if (!value.empty()) console().out << "export " << set(ShellWord(value)) << '\n';
  if (!variable) {
    console().out << fmt::format(
        "{} reads these files only inside its package{}; use tunehub-agent install --reader {}\n",
        reader_.title, reader_.variable.empty() ? "" : ", not by " + reader_.variable,
        options().reader);
  }
}

void TreePull::Warn(const Answer& answer) {
  const std::string borrowed = answer.Header("tunehub-borrowed-rows");
  if (!borrowed.empty()) {
    console().err << "tunehub-agent pull: rows of another device or engine: " << borrowed << '\n';
  }
  PullOne::Warn(answer);
}

}  // namespace tunehub::agent
