// A point of a state: by the same computation, whether it is that of now or one of the history.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/result.h"
#include "core/shapes/engine_reads.h"
#include "core/shapes/model.h"
#include "server/db/connection_pool.h"
#include "server/insight/model_coverage.h"
#include "server/insight/point_store.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/dispatch_tables.h"

namespace tunehub::server {

// Every family's table as of one revision.

struct RegistryState {
  core::Pin revision;
  // Of the families in their order; each says the revision that changed it last.
  std::vector<std::shared_ptr<const DispatchTable>> tables;
};

class RegistryStates {
 public:
  // `tables`: what is served now; null: all is read from the history.
  RegistryStates(const Definitions& definitions, ConnectionPool& pool, FamilyVersions& versions,
                 DispatchTables* tables)
      : definitions_(definitions), pool_(pool), versions_(versions), tables_(tables) {}

  // Without families that this server cannot read. Precondition: there are tables.
  RegistryState Now(const core::Pin& revision);
  // Errors: unknown_revision, revision_gone; unread_lines, where a row of then does not fit the
  // family's columns of now. Throws Unavailable. From one thread at a time.
  core::Result<RegistryState> At(const core::Pin& revision);
  // The tables that were read are kept for the next revision until then.
  void Forget() { read_.clear(); }

 private:
  using Table = std::shared_ptr<const DispatchTable>;
  core::Result<Table> Read(const core::Family& family, const core::Pin& revision,
                           const core::Pin& family_revision, const Table& now);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  FamilyVersions& versions_;
  DispatchTables* tables_;
  std::map<std::int16_t, Table> read_;
};

// configs/models and engines.json as one text, which a point names the version of.

// A model, and what a point of it is split over.
struct SplitModel {
  core::Model model;
  int tp = 1;  // the largest of 8, 4, 2 and 1 GPUs that it can be
};

struct ModelFiles {
  // {"deepseek-v3": "the text of its file", ..., "engines.json": "its text"}
  std::string text;
  std::string sha256;                                         // of the text
  std::vector<SplitModel> models;                             // known ones that can be split
  std::shared_ptr<const core::EngineReads> engine = nullptr;  // the usual one; null: none is known
};

// `folder`: of the models, beside which engines.json stands.
ModelFiles ReadModelFiles(const std::filesystem::path& folder);
// Of a text that ReadModelFiles has made. Throws where it is none.
ModelFiles ParseModelFiles(std::string text);

// Keeps what it has counted: of the next state only families and targets whose rows differ are
// counted again.
class PointMaker {
 public:
  PointMaker(const Definitions& definitions, ConnectionPool& pool)
      : definitions_(definitions), pool_(pool) {}

  // Whole and sorted. Throws Unavailable.
  PointRows Make(const ModelFiles& models, const RegistryState& state);

 private:
  struct Parts {
    std::optional<core::Hash128> rows;  // that they were counted in; nothing: not yet
    ModelParts parts;
  };

  void AddModels(const ModelFiles& models, const RegistryState& state, PointRows& point);
  const ModelParts& PartsOf(const ModelFiles& models, const DispatchTable& table,
                            const core::Target& target);
  const std::vector<PointFamily>& FiguresOf(const DispatchTable& table);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  std::mutex mutex_;    // also while one is made: who waits would make the same
  std::string models_;  // the digest of those that `parts_` is of
  std::map<std::tuple<std::int16_t, std::string, int>, Parts> parts_;
  struct Figures {
    core::Pin revision;
    std::vector<PointFamily> rows;
  };
  std::map<std::int16_t, Figures> figures_;
};

}  // namespace tunehub::server
