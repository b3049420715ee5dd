// How a database is, asked for once: nothing here writes. Every call of HealthStore may throw
// Unavailable; calls are safe from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace tunehub::store {

class ConnectionPool;

// One of the hosts that a database's address names.
struct HostHealth {
  std::string name;    // "db1:5432"
  std::string url;     // of the same database there
  std::string reason;  // why it cannot be asked; "": it can
  bool read_only = false;
};

// Each asked for itself, in the order of the address.
std::vector<HostHealth> LookAtHosts(const std::string& url);

struct ServerHealth {
  double seconds = 0;           // since 1970, by its clock
  std::string standbys_wanted;  // synchronous_standby_names; "": commits wait for none
  bool sees_standbys = false;   // may ask for those of others
  std::int64_t standbys = 0, synchronous = 0;
  std::string idle_slots;  // of replication, whose standby is away; "": none
  std::int64_t idle_slot_bytes = 0;
};

// pg_stat_archiver. Times as RFC 3339; "": never.
struct ArchiverHealth {
  bool on = false;
  std::int64_t failed = 0;
  std::string last_failed_file, last_failed, last_archived;
  bool fails_now = false;  // the last attempt failed
};

struct IdleTarget {
  std::string gfx;
  int cu_num = 0;  // 0: any
  std::int64_t jobs = 0;
};

struct SilentAgent {
  std::string name, host, last_seen;
};

struct QueueHealth {
  std::vector<IdleTarget> without_agent;  // queued jobs that no agent asks for
  std::vector<SilentAgent> silent;
  std::int64_t parked = 0, overdue = 0;  // jobs; leases that should have expired
};

class HealthStore {
 public:
  explicit HealthStore(ConnectionPool& pool) : pool_(pool) {}

  ServerHealth Server();
  ArchiverHealth Archiver();
  // An agent is silent that was not seen for so long; one that was not for `gone` was taken away.
  QueueHealth Queue(std::chrono::seconds silence, std::chrono::seconds gone);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::store
