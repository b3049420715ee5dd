// Fetches what a hub serves, conditionally, and puts it in its place.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agent/hub/tree.h"
#include "agent/transfer/commands.h"
#include "core/base/pin.h"

namespace tunehub::agent {

struct Pulled {
  std::string bytes;
  std::string sha256;  // that a lock file pins
  std::string etag;
  std::optional<core::Pin> revision;
  bool unchanged = false;  // the place has it already
};

// What a pull asks for: a table or a tree.
class PullOne {
 public:
  // All must outlive it.
  PullOne(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console)
      : options_(options), console_(console), hub_(hub), pauses_(pauses) {}
  virtual ~PullOne() = default;
  PullOne(const PullOne&) = delete;
  PullOne& operator=(const PullOne&) = delete;

  // What the hub answers to GET `target`; from the place where the hub says that it has not
  // changed. Errors: those of the hub, bad_answer, those of reading the place.
  virtual core::Result<Pulled> Get(const std::string& target) = 0;
  // Into its place, with its ETag. Errors: file_unwritable and others of the place.
  virtual core::Status Write(const std::string& target, const Pulled& pulled) = 0;
  virtual void Report(const Pulled& pulled) const = 0;

 protected:
  // Asks with the ETag, where there is one, and says what the hub warns of. Errors: those of the
  // hub, bad_answer (of another content type).
  core::Result<Answer> Ask(const std::string& target, const std::string& etag,
                           const std::string& content_type);
  virtual void Warn(const Answer& answer);
  static void AddRevision(nlohmann::ordered_json& report, const core::Pin& revision);

  const PullOptions& options() const { return options_; }
  Console& console() const { return console_; }

 private:
  const PullOptions& options_;
  Console& console_;
  HubClient& hub_;
  const Pauses& pauses_;
};

std::optional<core::Pin> RevisionOf(const Answer& answer);

class TablePull : public PullOne {
 public:
  // `absent`: what the tree that the table is for has nothing of.
  TablePull(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console,
            const std::vector<AbsentModule>& absent)
      : PullOne(options, hub, pauses, console), absent_(absent) {}

  core::Result<Pulled> Get(const std::string& target) override;
  core::Status Write(const std::string& target, const Pulled& table) override;
  void Report(const Pulled& table) const override;

 private:
  void Warn(const Answer& answer) override;

  const std::vector<AbsentModule>& absent_;
};

// Fetches a reader's files and puts them into the folder that its variable names.
class TreePull : public PullOne {
 public:
  // `reader`: the agent's own; it must outlive this.
  TreePull(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console,
           const core::Reader& reader)
      : PullOne(options, hub, pauses, console), reader_(reader) {}

  // Errors, beside those of PullOne: foreign_files (the folder holds what no pull put there, or
  // something that was changed, which only --force gives up), bad_tree and others of ParseTree.
  core::Result<Pulled> Get(const std::string& target) override;
  core::Status Write(const std::string& target, const Pulled& pulled) override;
  void Report(const Pulled& pulled) const override;

 private:
  void Warn(const Answer& answer) override;
  // Open, and free of what is somebody's, or --force.
  core::Result<TreeFolder> OpenFolder();

  const core::Reader& reader_;
  std::optional<Tree> tree_;  // the hub's last; nothing where it says that nothing has changed
  bool gave_up_files_ = false;
};

}  // namespace tunehub::agent
