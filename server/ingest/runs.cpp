#include "server/ingest/runs.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/analysis/environment.h"
#include "core/base/hash.h"
#include "core/base/process.h"
#include "core/base/read_json.h"
#include "core/base/rfc3339.h"
#include "core/base/text.h"
#include "server/ingest/revert_store.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

// Members with free text about the run's host and versions. Any other member is an error.
constexpr std::string_view kProvenance[] = {"host",        "gpu",       "product",
                                            "pci_id",      "gfx",       "cu_num",
                                            "driver",      "partition", "memory_partition",
                                            "power_limit", "rocm",      "aiter",
                                            "triton",      "pytorch",   "engine",
                                            "compiler",    "tuner",     "arguments",
                                            "agent",       "campaign",  "note",
                                            "address"};

core::Error BadRun(const std::string& member, const std::string& what) {
  return {"bad_run", fmt::format("'{}': {}", core::Excerpt(member), what)};
}

core::Status ReadTime(const Json& value, const std::string& member, std::string& out) {
  if (!value.is_string() || !core::IsRfc3339(value.get<std::string>())) {
    return BadRun(member, "must be a time such as 2026-01-31T12:00:00Z");
  }
  out = value.get<std::string>();
  return core::Ok();
}

constexpr std::uint64_t kMostJob = std::numeric_limits<std::int64_t>::max();

// Limits of numbers. jsonb writes every digit, so 1e300 would take 301 bytes in each answer.
constexpr double kLeastNumber = 1e-9, kMostNumber = 1e15;

bool IsShort(double number) {
  return number == 0 || (std::abs(number) >= kLeastNumber && std::abs(number) <= kMostNumber);
}

// True for a short number, and for a text without control characters. (jsonb cannot store U+0000.)
bool IsPlain(const Json& value) {
  if (value.is_number()) return IsShort(value.get<double>());
  if (!value.is_string()) return false;
  return !core::HoldsControl(value.get_ref<const std::string&>());
}

bool IsMember(std::string_view name) {
  constexpr std::string_view kOwn[] = {"started",    "finished", "provider", "error_limit",
                                       "provenance", "facts",    "job"};
  return std::ranges::find(kOwn, name) != std::end(kOwn) ||
         std::ranges::find(kProvenance, name) != std::end(kProvenance);
}

// Reads facts that are not members of the run. Provenance stores them by their own names.
core::Status ReadFacts(const Json& value, Json& provenance) {
  if (!value.is_object()) return BadRun("facts", "must be an object of names and values");
  for (const auto& [name, fact] : value.items()) {
    const std::string place = "facts." + name;
    const std::string_view one = analysis::FactName(name);
    if (!analysis::IsFactName(name))
      return BadRun(place, "the name must be a letter, then letters, digits, '_', '-' and '.'");
    if (IsMember(one)) return BadRun(place, fmt::format("use the member '{}' instead", one));
    const auto text = analysis::FactText(fact);
    if (!text) {
      return BadRun(place, fmt::format("{} must be a text without control characters, a number, "
                                       "true or false",
                                       core::Excerpt(fact.dump())));
    }
    provenance[name] = *text;
  }
  return core::Ok();
}

core::Status ReadMember(const std::string& member, const Json& value, RunContent& run,
                        Json& provenance) {
  if (member == "started") return ReadTime(value, member, run.started);
  if (member == "finished") return ReadTime(value, member, run.finished);
  if (member == "provider") {
    if (value.is_string()) run.provider = ParseProvider(value.get<std::string>());
    return run.provider ? core::Ok() : BadRun(member, "must be one of " + ProviderNames());
  }
  if (member == "error_limit") {
    if (!value.is_number() || value.get<double>() <= 0 || value.get<double>() > 1) {
      return BadRun(member, "must be above 0 and at most 1");
    }
    run.error_limit = value.get<double>();
    return core::Ok();
  }
  if (member == "job") {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMostJob)
      return BadRun(member, "must be the number of a job");
    run.job = value.get<std::int64_t>();
    return core::Ok();
  }
  if (member == "facts") return ReadFacts(value, provenance);
  if (!IsMember(member)) {
    return BadRun(
        member,
        fmt::format(
            "is unknown; expected started, finished, provider, error_limit, job, {} or facts",
            fmt::join(kProvenance, ", ")));
  }
  const bool list = value.is_array() && std::all_of(value.begin(), value.end(), IsPlain);
  if (!list && !IsPlain(value)) {
    return BadRun(member, fmt::format("{} must be a text without control characters, a number (0 "
                                      "or {} to {}, also negative), or a list of such values",
                                      core::Excerpt(value.dump()), kLeastNumber, kMostNumber));
  }
  provenance[member] = value;
  return core::Ok();
}

}  // namespace

core::Result<RunContent> ReadRun(std::string_view body) {
  if (body.size() > kMaxRunBytes) {
    return core::Error{"too_large",
                       fmt::format("a run's description is larger than {} bytes", kMaxRunBytes)};
  }
  const Json json = core::ReadJsonAs<Json>(body);
  if (json.is_discarded()) {
    if (const auto overflow = core::FindOverflow(body)) return *overflow;
  }
  if (!json.is_object()) return core::Error{"bad_json", "expected a JSON object as the body"};
  RunContent run;
  Json provenance = Json::object();
  for (const auto& [member, value] : json.items()) {
    if (const auto status = ReadMember(member, value, run, provenance); !status.ok())
      return status.error();
  }
  if (!run.started.empty() && !run.finished.empty() &&
      *core::Rfc3339Microseconds(run.finished) < *core::Rfc3339Microseconds(run.started)) {
    return BadRun("finished",
                  fmt::format("{} is before 'started' ({})", run.finished, run.started));
  }
  run.provenance = provenance.dump();
  // Members are sorted, so the same content in another order gives the same run.
  run.hash = core::HashOf(core::SureJson(body).dump());
  return run;
}

RunContent RunOfRequest(const WriteRequest& write, std::optional<RunContent> about) {
  constexpr std::size_t kNonceBytes = 16;
  RunContent unknown;
  unknown.provenance = R"({"provenance":"unknown"})";
  RunContent run = std::move(about).value_or(std::move(unknown));
  run.hash =
      core::HashOf(fmt::format("{}\n{}\n{}\n{}", write.digest, write.api_key,
                               write.idempotency_key.value_or(""), core::RandomBytes(kNonceBytes)));
  return run;
}

core::Result<RunRecord> Runs::Create(RunContent content, const Writer& by, bool& created) {
  // Hashes of the default owner's runs do not include the owner, because older databases have no
  // owners.
  if (by.owner != kDefaultOwner) {
    content.hash = core::HashOf(content.hash.Uuid() + "\n" + by.owner);
  }
  return store.Create(content, created, by);
}

core::Result<RunWithBatches> Runs::Find(std::int64_t id) const {
  auto run = store.Find(id);
  if (!run.ok()) return run.error();
  std::vector<RepeatedRun> repeated;
  if (run->rows > run->stored) repeated = store.ListRepeated(id);
  return RunWithBatches{*std::move(run), store.ListBatches(id), std::move(repeated)};
}

core::Result<RevertOutcome> Runs::Revert(std::int64_t id, const Writer& by, bool dry_run,
                                         bool allow_shrink) {
  auto reverted = RevertRun(pool_, id, by, dry_run, allow_shrink);
  if (reverted.ok() && !dry_run) snapshots_.Expect(reverted->revision);
  return reverted;
}

core::Result<AcceptOutcome> Runs::Accept(std::int64_t id, const Writer& by, bool dry_run) {
  auto accepted = AcceptRun(pool_, id, by, dry_run);
  if (accepted.ok() && !dry_run) snapshots_.Expect(accepted->revision);
  return accepted;
}

}  // namespace tunehub::server
