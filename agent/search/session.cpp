#include "agent/search/session.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "core/base/process.h"
#include "core/base/rfc3339.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

std::string WhyNothingWon(const std::vector<Measurement>& measurements) {
  for (const Measurement& it : measurements) {
    if (!it.reason.empty())
      return "no candidate was correct and had a time; the first failure: " + it.reason;
  }
  return "no candidate has a time";
}

}  // namespace

core::Status Session::CheckRoom() const {
  for (const fs::path& folder : {options_.journal.parent_path(), options_.spool}) {
    std::error_code error;
    const fs::space_info space = fs::space(folder, error);
    if (error || space.available >= options_.least_free_bytes) continue;
    return core::Error{
        "disk_full",
        fmt::format("{}: {} bytes are free; to tune another shape, {} bytes must be free",
                    folder.string(), space.available, options_.least_free_bytes)};
  }
  return core::Ok();
}

core::Result<std::vector<std::size_t>> Session::Chosen(
    const Offer& offer, const std::vector<Columns>& incumbents) const {
  std::vector<std::size_t> chosen;
  if (options_.purpose != Purpose::kAfter) chosen.push_back(offer.fallback);
  if (options_.purpose == Purpose::kBefore) return chosen;
  for (const Columns& it : incumbents) {
    const auto found = std::find(offer.candidates.begin(), offer.candidates.end(), it);
    if (found == offer.candidates.end()) {
      if (options_.purpose == Purpose::kKnown) continue;  // this build lacks the candidate
      return core::Error{kUnsupported, TextOf(it) + " is not a candidate of this build"};
    }
    const auto index = static_cast<std::size_t>(found - offer.candidates.begin());
    if (std::find(chosen.begin(), chosen.end(), index) == chosen.end()) chosen.push_back(index);
  }
  return chosen;
}

core::Result<ShapeResult> Session::Compare(const Offer& offer, Search& search,
                                           const std::vector<Columns>& incumbents) {
  const auto chosen = Chosen(offer, incumbents);
  if (!chosen.ok()) return chosen.error();
  auto measured = search.Measure(offer, *chosen);
  if (!measured.ok()) return measured.error();
  ShapeResult result;
  result.measurements = *std::move(measured);
  result.offered = offer.candidates.size();
  result.winner = Choose(result.measurements, std::nullopt, 0);
  const auto fallback = std::find(chosen->begin(), chosen->end(), offer.fallback);
  if (fallback != chosen->end()) {
    result.fallback = static_cast<std::size_t>(fallback - chosen->begin());
  }
  return result;
}

core::Result<ShapeResult> Session::Tune(const Columns& shape, const Offer& offer, Search& search,
                                        const std::vector<Columns>& incumbents) {
  Hints hints;
  if (!options_.search.exhaustive) hints.likely = neighbours_.LikelyFor(shape);
  if (!incumbents.empty()) hints.incumbent = incumbents.front();
  const auto known = journal_->screened().find(TextOf(shape));
  return search.Run(
      offer, hints,
      known == journal_->screened().end() ? std::vector<Measurement>() : known->second);
}

core::Result<DoneShape> Session::Measure(const Columns& shape, const Incumbents& incumbents) {
  const std::string text = TextOf(shape);
  const auto offer = device_.Prepare(options_.family->name, shape);
  if (!offer.ok()) return offer.error();
  observer_.Begin(index_, total_, text, offer->candidates.size());
  const auto found = incumbents.find(text);
  const std::vector<Columns> known =
      found == incumbents.end() ? std::vector<Columns>() : found->second;
  Search search(device_, options_.search, [&](const Measurement& measurement) {
    observer_.Screened(measurement);
    return journal_->Screened(text, measurement);
  });
  auto result = options_.purpose == Purpose::kTune ? Tune(shape, *offer, search, known)
                                                   : Compare(*offer, search, known);
  if (!result.ok()) return result.error();
  DoneShape done;
  done.batch = core::RandomUuid();
  done.created = core::UtcText(std::chrono::system_clock::now());
  done.shape = shape;
  done.spread = options_.spread;
  done.measurements = std::move(result->measurements);
  done.winner = result->winner;
  done.fallback = result->fallback;
  if (!done.winner) done.reason = WhyNothingWon(done.measurements);
  return done;
}

void Summary::Count(const DoneShape& done) {
  ++(done.winner ? tuned : done.measurements.empty() ? unsupported : failed);
  shapes.push_back(done);
}

core::Status Session::Publish(const DoneShape& done, Summary& summary) {
  if (!journal_->IsSpooled(done.batch) && !done.measurements.empty()) {
    BatchHeader header;
    header.key = done.batch;
    header.family = options_.family->name;
    header.file = options_.label;
    header.created = done.created;
    header.new_run = journal_->run();
    header.content_type = kJsonType;
    auto status = outbox_.Add(header, ResultsBody(*options_.family, options_.target, done,
                                                  options_.purpose == Purpose::kTune));
    if (status.ok()) status = journal_->Spooled(done.batch);
    if (!status.ok()) return status;
  }
  neighbours_.Add(done.shape, RankingOf(done.measurements));
  summary.Count(done);
  observer_.Finished(done);
  return core::Ok();
}

core::Status Session::TuneOne(const Columns& shape, const Incumbents& incumbents,
                              Summary& summary) {
  if (auto status = CheckRoom(); !status.ok()) return status;
  auto done = Measure(shape, incumbents);
  if (!done.ok() && done.error().code == kUnsupported) {
    DoneShape unsupported;
    unsupported.shape = shape;
    unsupported.reason = done.error().detail;
    return Publish(unsupported, summary);
  }
  if (!done.ok()) return done.error();
  auto status = journal_->Done(TextOf(shape), *done);
  if (status.ok()) status = Publish(*done, summary);
  if (status.ok()) outbox_.Push();
  return status;
}

core::Status Session::TuneOthers(const std::vector<Columns>& shapes, const Incumbents& incumbents,
                                 Summary& summary) {
  const bool skips = options_.purpose == Purpose::kTune && !options_.all;
  for (const Columns& shape : shapes) {
    if (journal_->done().contains(TextOf(shape))) continue;
    if (skips && incumbents.contains(TextOf(shape))) {
      ++summary.skipped;
    } else if (options_.search.stop && options_.search.stop()) {
      return core::Error{kStopped, ""};
    } else if (auto status = TuneOne(shape, incumbents, summary); !status.ok()) {
      return status;
    }
    ++index_;
  }
  return core::Ok();
}

core::Result<Summary> Session::Run(const std::vector<Columns>& shapes, const Incumbents& incumbents,
                                   const NewRun& run) {
  auto journal = Journal::Open(options_.journal, run);
  if (!journal.ok()) return journal.error();
  journal_ = *std::move(journal);
  if (!journal_->damage().empty()) observer_.Note(journal_->damage());
  Summary summary;
  summary.run_key = journal_->run().key;
  index_ = 0;
  total_ = shapes.size();
  // Finished shapes give hints for near shapes. Results in the journal go to the spool before new
  // results.
  for (const Columns& shape : shapes) {
    const auto done = journal_->done().find(TextOf(shape));
    if (done == journal_->done().end()) continue;
    ++index_;
    if (auto status = Publish(done->second, summary); !status.ok()) return status.error();
  }
  if (auto status = TuneOthers(shapes, incumbents, summary); !status.ok()) {
    if (status.error().code != kStopped) return status.error();
    summary.stopped = true;
    return summary;
  }
  if (auto status = observer_.status(); !status.ok()) return status.error();
  if (options_.keep_journal) return summary;
  if (auto status = journal_->Remove(); !status.ok()) return status.error();
  return summary;
}

}  // namespace tunehub::agent
