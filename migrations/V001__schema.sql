-- The registry, with the terms of ARCHITECTURE.md. A shape key (column `key`) is family + target + shape + tag. A
-- measurement is one candidate timed on one shape key in one run. A tuned row is the candidate that now wins a shape
-- key for a provider.
--
-- Shape keys and candidates are 16-byte hashes of canonical texts, made in C++ (core/row/row.h), with the type uuid.
-- (Writes with a jsonb key take 2.5 times as long.) Every table for bulk writes has one index, which begins with the
-- shape key. The hub sorts every batch by shape key.


-- Definitions, by version. The hub renders an old revision with the columns of the version that was in force then.

CREATE TABLE family (
  id       smallint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name     text NOT NULL UNIQUE,
  version  smallint NOT NULL DEFAULT 1,      -- the version in force
  written  bigint NOT NULL DEFAULT 0,        -- number of rows that batches stored; estimates the cost of reading all
  -- A random value of the last write that added or withdrew measurements of the family, even if no served row
  -- changed.
  evidence uuid NOT NULL DEFAULT gen_random_uuid()
);

-- The text of a family file, by version.
CREATE TABLE family_version (
  family     smallint NOT NULL REFERENCES family,
  version    smallint NOT NULL,
  sha256     text NOT NULL,
  definition text NOT NULL,
  created    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (family, version)
);

-- configs/targets.json, by version. Standings depend on it, too.
CREATE TABLE targets_version (
  version    smallint PRIMARY KEY,
  sha256     text NOT NULL,
  definition text NOT NULL,
  created    timestamptz NOT NULL DEFAULT now()
);

-- configs/models as one JSON object of its files by name. Points count the shapes of these models.
CREATE TABLE models_version (
  version    integer PRIMARY KEY,
  sha256     text NOT NULL UNIQUE,
  definition text NOT NULL,
  created    timestamptz NOT NULL DEFAULT now()
);


-- API keys of the HTTP interface.

CREATE TABLE api_key (
  id        bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  sha256    text NOT NULL UNIQUE,            -- digest of the API key; the hub shows the key once and does not store it
  -- the API key's first characters, by which people distinguish keys in a list
  hint      text NOT NULL,
  scope     text NOT NULL CHECK (scope IN ('read', 'submit', 'claim', 'admin')),
  owner     text NOT NULL DEFAULT 'default', -- the owner for which the API key acts
  -- The API key's limits: {"families":[...],"targets":["gfx942:304","gfx950"],"sources":[...]}. An absent member is
  -- no limit.
  limits    jsonb NOT NULL DEFAULT '{}',
  created   timestamptz NOT NULL DEFAULT now(),
  expires   timestamptz,
  last_used timestamptz,
  revoked   timestamptz,
  successor bigint REFERENCES api_key        -- the API key that replaces this one
);

-- A server compares this row with the row that it read together with its copy of the API keys. A trigger changes the
-- row, so that servers also notice changes that an administrator makes in SQL.
CREATE TABLE key_epoch (
  one   boolean PRIMARY KEY DEFAULT true CHECK (one),  -- there is one row
  epoch bigint NOT NULL,
  stamp uuid NOT NULL DEFAULT gen_random_uuid()        -- after a restore, epochs may repeat, but stamps do not
);
INSERT INTO key_epoch (epoch) VALUES (0);

CREATE FUNCTION bump_key_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE key_epoch SET epoch = epoch + 1, stamp = gen_random_uuid();
  RETURN NULL;
END $$;
CREATE TRIGGER api_key_epoch
  AFTER INSERT OR DELETE OR TRUNCATE
     OR UPDATE OF sha256, scope, expires, revoked, owner, limits ON api_key
  FOR EACH STATEMENT EXECUTE FUNCTION bump_key_epoch();


-- Keys that sign answers. The newest key is in force. Servers have its secret in a file.

CREATE TABLE signing_key (
  id         bigint PRIMARY KEY,             -- ascending in time
  public_key text NOT NULL UNIQUE,           -- in minisign's format, with the key's id
  rotation   text,  -- signature by the previous key; null: the first key, or that key did not sign
  created    timestamptz NOT NULL DEFAULT now()
);


-- Runs and writes.

CREATE TABLE run (
  id          bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  hash        uuid NOT NULL UNIQUE,          -- digest of the content: two posts of the same run are one run
  started     timestamptz NOT NULL,          -- never later than received; runs sort by started, then by hash
  finished    timestamptz,
  received    timestamptz NOT NULL DEFAULT now(),
  provider    smallint,                      -- 0: aiter, 1: tunehub; null: each row's target decides
  source      text,                          -- an import's name: its next import supersedes this one
  owner       text NOT NULL DEFAULT 'default',
  -- True for a run by an admin's key, and for an import by a key that is limited to sources. The rows of these runs
  -- are trusted (docs/trust.md).
  trusted     boolean NOT NULL DEFAULT false,
  error_limit float8,                        -- null: the family's limit
  provenance  jsonb NOT NULL DEFAULT '{}',
  active      boolean NOT NULL DEFAULT true, -- its measurements may win
  -- True for the results of a job to verify, and for a run that an admin accepted. The rows of such a run need no
  -- confirmation.
  confirmed   boolean NOT NULL DEFAULT false,
  job         bigint,                        -- the job that verifies, if the run has its results; others are refused
  reverted    timestamptz,
  rows        bigint NOT NULL DEFAULT 0,     -- number of its rows
  stored      bigint NOT NULL DEFAULT 0,     -- rows that no earlier import of its source had
  repeats     bigint,                        -- the previous import of the source, if the two share rows
  digest      text                           -- digest of the imported bytes, if the hub accepted all rows
);
-- Imports of a source have ascending ids, because they lock the registry.
CREATE INDEX run_source ON run (source, id) WHERE source IS NOT NULL;
-- Writes ask whether the hub has runs of several owners.
CREATE INDEX run_owner ON run (owner);

CREATE TABLE source (
  id    integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name  text NOT NULL UNIQUE,                -- as in run.source
  owner text NOT NULL DEFAULT 'default',
  head  bigint REFERENCES run                -- the import in force: the latest import that was not reverted
);

-- One accepted write. Its id is also the id of its changes (columns `change`). Ids may have gaps. Within a family,
-- ids grow in the order of commits, because a write first takes the family's lock.
CREATE TABLE batch (
  id              bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  kind            text NOT NULL,             -- results, import, revert, accept, reclassify, demand, jobs
  api_key         bigint NOT NULL DEFAULT 0, -- 0: no API key (a server's own command)
  owner           text NOT NULL,
  idempotency_key text,
  digest          text NOT NULL,             -- sha256 of body, path and query
  run             bigint REFERENCES run,
  received        timestamptz NOT NULL DEFAULT now(),
  repeats         bigint,                    -- if set, the receipt is a JSON merge patch (RFC 7386) of that batch's
  stored          integer NOT NULL DEFAULT 0,  -- number of its measurements
  won             integer NOT NULL DEFAULT 0,  -- number of shape keys that its rows won
  receipt         text                       -- null: not finished, or older than retention_days
);
CREATE UNIQUE INDEX batch_idempotency ON batch (owner, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX batch_run ON batch (run);

-- The progress of deletions by the setting retention_days. The deleting server locks the row.
CREATE TABLE retention (
  one      boolean PRIMARY KEY DEFAULT true CHECK (one),  -- there is one row
  receipts bigint NOT NULL DEFAULT 0         -- batches up to this id no longer have the texts of their receipts
);
INSERT INTO retention DEFAULT VALUES;

-- A batch's receipt. If its text was deleted, the function makes a receipt from the numbers that the batch still has.
CREATE FUNCTION receipt_of(b batch) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN b.receipt IS NOT NULL
                   AND (b.repeats IS NULL OR EXISTS (SELECT FROM batch WHERE id = b.repeats AND receipt IS NOT NULL))
              THEN b.receipt
              ELSE json_build_object('batch', b.id, 'run', b.run, 'accepted', b.stored, 'stored', b.stored,
                                     'won', b.won, 'received', b.received, 'detail',
                                     'stored at that time; the text of its receipt is older than retention_days')::text END
$$;

-- The amount that each API key wrote in a day (UTC), for its quotas. The hub deletes old days.
CREATE TABLE usage (
  day     date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
  api_key bigint NOT NULL,
  rows    bigint NOT NULL,
  demand  bigint NOT NULL,                   -- number of shapes
  bytes   bigint NOT NULL,                   -- bytes of the decompressed bodies
  keys    bigint NOT NULL,                   -- number of shape keys whose served row changed
  PRIMARY KEY (day, api_key)
) WITH (fillfactor = 50);                    -- each batch updates the row of its API key

-- Every write, recorded in its own transaction. Ids grow, but a later id may become visible first.
CREATE TABLE audit (
  id      bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  at      timestamptz NOT NULL DEFAULT now(),
  api_key bigint,
  owner   text,                              -- null: a server's own command
  action  text NOT NULL,
  detail  text NOT NULL,
  request text                               -- X-Request-Id
);

-- Tuned rows that an owner's writes removed from a family's table within a day.
CREATE TABLE loss (
  owner    text NOT NULL,
  family   smallint NOT NULL,
  at       timestamptz NOT NULL DEFAULT now(),
  keys     bigint NOT NULL,                  -- number of shape keys that lost their row or its time
  others   bigint NOT NULL,                  -- of these, keys whose row belonged to another owner
  -- of these, keys whose row was from upstream or an admin; all other owners share one limit
  upstream bigint NOT NULL DEFAULT 0
);
CREATE INDEX loss_owner ON loss (owner, family);
CREATE INDEX loss_family ON loss (family);


-- Measurements and their results. COPY relies on the order of the columns.

-- Append-only. id = batch * 2^20 + the row's index in the batch.
CREATE TABLE measurement (
  id             bigint NOT NULL,
  run            bigint NOT NULL,
  key            uuid NOT NULL,
  candidate      uuid NOT NULL,
  us             float8,
  error          float8,
  family_version smallint NOT NULL,
  provider       smallint NOT NULL,
  standing       smallint NOT NULL,          -- core/row/standing.h
  reason         text,                       -- why the row has this standing
  line           text NOT NULL,              -- every column of the family version, as CSV
  evidence       jsonb,                      -- samples, timing kind, status
  is_default     boolean NOT NULL DEFAULT false,  -- the default candidate
  searched       boolean NOT NULL DEFAULT false,  -- a search over the candidates measured it
  -- The bounds of the time (core/row/winner.h, TimeBounds). null: no samples. Infinite: the clocks were not steady.
  low            float8,
  high           float8,
  -- Only for a row of an import: its source, and the imports of the source that contain the row. `run` is the first
  -- of these imports. A range goes from an import's id to the id of the next import without the row. The range has no
  -- end if the latest import contains the row.
  source         integer,
  runs           int8multirange
);
CREATE UNIQUE INDEX measurement_identity ON measurement (key, run, candidate);
CREATE INDEX measurement_source ON measurement (source, upper_inf(runs)) WHERE source IS NOT NULL;
-- For speed-ups, which compare with the untuned kernel.
CREATE INDEX measurement_default ON measurement (key, id) WHERE is_default OR standing = 8;

-- The values with which each candidate competes: time, error and standing of its latest run, or of the fastest
-- owner's run.
CREATE TABLE candidate (
  key         uuid NOT NULL,
  candidate   uuid NOT NULL,
  run         uuid NOT NULL,                 -- run.hash
  run_time    bigint NOT NULL,               -- run.started, microseconds since 1970
  us          float8,
  error       float8,
  measurement bigint NOT NULL,  -- the measurement with the served line: the oldest whose interval contains us
  provider    smallint NOT NULL,
  standing    smallint NOT NULL,
  -- the owner of all its rows; null: several owners, so the standing depends on all rows
  owner       text,
  rank        smallint NOT NULL DEFAULT 1,   -- result of rank_of
  low         float8,                        -- as in measurement
  high        float8,
  -- For several sampled measurements: the oldest measurement, and if the intervals of two runs contain us.
  since_time  bigint,
  since_run   uuid,
  since_us    float8,
  agreed      boolean NOT NULL DEFAULT false,
  unconfirmed bigint,                        -- the latest measurement that waits for a confirmation; null: none
  PRIMARY KEY (key, provider, candidate)
);
-- Candidates that the hub does not serve but verifies: implausible beside other times of their key, or unconfirmed.
CREATE INDEX candidate_doubted ON candidate (key) WHERE standing IN (6, 9) OR unconfirmed IS NOT NULL;

-- One line of each candidate, from which queries take the name of its kernel. Queries need no other line of a
-- candidate that lost.
CREATE TABLE candidate_line (
  family         smallint NOT NULL,
  candidate      uuid NOT NULL,
  family_version smallint NOT NULL,
  line           text NOT NULL,
  PRIMARY KEY (family, candidate)
);

-- One row per shape key and provider that any write ever contained. measurement is null while the hub serves no row
-- for them.
CREATE TABLE tuned (
  key         uuid NOT NULL,
  candidate   uuid,
  measurement bigint,
  change      bigint NOT NULL,               -- the batch that last changed the served row
  cu_num      integer NOT NULL,
  family      smallint NOT NULL,
  provider    smallint NOT NULL,
  standing    smallint,
  why         smallint,                      -- core/row/standing.h
  gfx         text NOT NULL,
  ord         bytea NOT NULL,                -- the sort key: memcmp order = the order of the served rows
  baseline    boolean NOT NULL DEFAULT false,  -- only defaults were measured, without a search
  relative    boolean NOT NULL DEFAULT false,  -- no roofline is known: the key's times are compared with each other
  verified    timestamptz,                   -- when the hub last planned a job to verify the row
  PRIMARY KEY (key, provider)
) WITH (fillfactor = 90);
-- After each commit, servers read the rows that it changed.
CREATE INDEX tuned_by_change ON tuned (change);
-- To read an old revision, a server finds rows by the shape keys in its memory, which lacks keys without a row. This
-- index finds those keys. It uses the standing, which seldom changes. (An index over `measurement` would slow down
-- each update.)
CREATE INDEX tuned_unserved ON tuned (family) WHERE standing IS NULL;

-- Rows that were served earlier. The hub writes such a row when another row replaces it. The current row is in
-- `tuned`.
CREATE TABLE tuned_history (
  key         uuid NOT NULL,
  provider    smallint NOT NULL,
  family      smallint NOT NULL,
  measurement bigint NOT NULL,
  standing    smallint NOT NULL,
  why         smallint NOT NULL,
  from_change bigint NOT NULL,
  to_change   bigint NOT NULL,
  baseline    boolean NOT NULL DEFAULT false
);
CREATE INDEX tuned_history_key ON tuned_history (key, provider);
CREATE INDEX tuned_history_family ON tuned_history (family, to_change);

-- Drift: how the times of defaults (us_reference) change on a device. A device is a run's host, product and address.

-- The first time of each shape key's default on a device. Providers have different defaults.
CREATE TABLE drift_first (
  device   text NOT NULL,
  key      uuid NOT NULL,
  provider smallint NOT NULL,
  us       float8 NOT NULL,
  PRIMARY KEY (device, key, provider)
);

-- A device's times of a day (UTC), compared with its first times.
CREATE TABLE drift (
  device     text NOT NULL,
  day        date NOT NULL,
  since      date NOT NULL,                  -- the day of the device's first time
  log_ratios float8 NOT NULL,                -- the sum of ln(time / first time)
  keys       bigint NOT NULL,                -- the number of these ratios; first times do not count
  PRIMARY KEY (device, day)
);


-- Revisions. After a restore, or a failover that loses commits, numbers may repeat, but tokens do not, because every
-- revision gets a random token.

-- Numbers have no gaps, because the last statements of a transaction take the number under the registry's lock.
-- change is the batch that made the revision. A batch that changed no served row makes no revision.
CREATE TABLE revision (
  number  bigint PRIMARY KEY,
  token   uuid NOT NULL DEFAULT gen_random_uuid(),
  change  bigint NOT NULL UNIQUE,
  created timestamptz NOT NULL DEFAULT clock_timestamp(),
  kind    text NOT NULL,
  cause   text NOT NULL
);

-- The moves of a channel. The newest statement counts. The number of a statement grows even if the channel goes back
-- to an older revision.
CREATE TABLE channel_statement (
  channel  text NOT NULL,
  sequence bigint NOT NULL,
  revision bigint NOT NULL REFERENCES revision,
  back     bigint,                           -- the statement that a rollback repeats; null: none
  at       timestamptz NOT NULL DEFAULT now(),
  owner    text NOT NULL,
  PRIMARY KEY (channel, sequence)
);

CREATE TABLE revision_family (
  family          smallint NOT NULL,
  number          bigint NOT NULL REFERENCES revision,
  family_version  smallint NOT NULL,
  targets_version smallint NOT NULL,
  changed         bigint NOT NULL,           -- number of changed tuned rows
  body_sha256     text,                      -- digest of the unfiltered table, after its first rendering
  PRIMARY KEY (family, number)
);

CREATE TABLE registry (
  one      boolean PRIMARY KEY DEFAULT true CHECK (one),  -- there is one row
  revision bigint NOT NULL,
  origin   uuid NOT NULL DEFAULT gen_random_uuid(),       -- the token of revision 0
  confirm_factor integer NOT NULL DEFAULT 0               -- the setting of the server that started last
);
INSERT INTO registry (revision) VALUES (0);

-- Returns null if the revision does not exist.
CREATE FUNCTION token_of(asked bigint) RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN asked = 0 THEN (SELECT origin FROM registry)
              ELSE (SELECT token FROM revision WHERE number = asked) END
$$;


-- The measurements that count, and their order.

-- The rank of a row without a credible time. 0: from upstream or an admin. 1: from others. 2: a kernel that the
-- family does not know.
CREATE FUNCTION rank_of(trusted boolean, reason text) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (CASE WHEN trusted THEN 0 WHEN reason LIKE 'unknown_kernel:%' THEN 2 ELSE 1 END)::smallint
$$;

-- How a row's time competes (core/row/winner.h, Grade). 0: by its interval. 1: without samples. 2: only with other
-- unsteady times.
CREATE FUNCTION grade_of(standing smallint, low float8) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (CASE WHEN standing > 0 OR low IS NULL THEN 1 WHEN low = '-Infinity' THEN 2 ELSE 0 END)::smallint
$$;

-- The import that decides the place of a repeated row in the order of runs. It is the earliest of the unreverted
-- imports that contained the row without a gap up to the import in force.
CREATE FUNCTION place_of(of_source text, runs int8multirange, head bigint) RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  since  bigint;
  before bigint := head;
BEGIN
  LOOP
    SELECT lower(part) INTO since FROM unnest(runs) AS part WHERE part @> before;
    SELECT max(id) INTO before
    FROM run WHERE source = of_source AND reverted IS NULL AND id < since;
    EXIT WHEN before IS NULL OR NOT runs @> before;
  END LOOP;
  RETURN (SELECT min(id) FROM run WHERE source = of_source AND reverted IS NULL AND id >= since);
END $$;

-- Measurements of active runs. For each source, only the measurements of its import in force.
CREATE VIEW in_force AS
SELECT m.id, m.run, m.key, m.candidate, m.us, m.error, m.family_version, m.provider, m.standing, m.line,
       m.is_default, m.searched, m.source, m.runs, s.name AS source_name,
       CASE WHEN m.source IS NULL THEN m.run ELSE s.head END AS counted_by, m.reason, m.low, m.high
FROM measurement m
LEFT JOIN source s ON s.id = m.source
LEFT JOIN run r ON r.id = m.run AND m.source IS NULL
WHERE CASE WHEN m.source IS NULL THEN r.active ELSE m.runs @> s.head END;

-- in_force with the order of runs (start, hash), the owner, and the batch that first sent the row to the hub. For a
-- row of an import, it is the batch of the import from place_of.
CREATE VIEW in_order AS
SELECT i.*, r.hash, (extract(epoch FROM r.started) * 1000000)::bigint AS run_time, r.owner,
       r.trusted AND i.source IS NULL AS decides, rank_of(r.trusted, i.reason) AS rank, r.confirmed,
       CASE WHEN i.source IS NULL THEN i.id >> 20
            -- The current batch has no run yet. It is the latest batch.
            ELSE coalesce((SELECT min(b.id) FROM batch b WHERE b.run = r.id), 9223372036854775807) END AS received
FROM in_force i
JOIN run r ON r.id = CASE WHEN i.source IS NULL THEN i.run
                          ELSE place_of(i.source_name, i.runs, i.counted_by) END;

-- The rows of each run, including rows that an import repeats.
CREATE VIEW run_row AS
SELECT m.run AS of_run, m.id, m.run AS stored_by, m.key, m.candidate, m.us, m.family_version, m.provider,
       m.standing, m.reason, m.line, m.low, m.high
FROM measurement m WHERE m.source IS NULL
UNION ALL
SELECT r.id, m.id, m.run, m.key, m.candidate, m.us, m.family_version, m.provider, m.standing, m.reason,
       m.line, m.low, m.high
FROM run r
JOIN source s ON s.name = r.source
JOIN measurement m ON m.source = s.id AND m.runs @> r.id;


-- Builds of AITER. Each row is a manifest of the kernels that a build can run (core/builds/manifest.h). The hub keeps
-- it without a time limit, as NAME@sha256. NAME alone means the latest manifest.

CREATE SEQUENCE build_put;
CREATE TABLE build (
  name     text NOT NULL,
  sha256   text NOT NULL,                    -- digest of the manifest
  -- tree: each line says if the build contains the kernel now, or could make it from its sources.
  kind     text NOT NULL CHECK (kind IN ('buildable', 'compiled', 'tree')),
  put      bigint NOT NULL DEFAULT nextval('build_put'),
  created  timestamptz NOT NULL DEFAULT clock_timestamp(),
  api_key  bigint NOT NULL,
  summary  json NOT NULL,                    -- {"versions":{...},"kernels":N,"modules":{...}}
  manifest text NOT NULL,                    -- canonical
  PRIMARY KEY (name, sha256)
);
CREATE UNIQUE INDEX build_newest ON build (put);


-- The queue: missed lookups (demand), work for agents (job), and its workers (agent). A job has a lease. Only the
-- database's clock decides when the lease ends. Each new lease raises the job's epoch. The holder sends the epoch, so
-- that the hub recognizes a late holder.

-- An instance is an agent with its state folder. Leases belong to instances. Names are for people, and two agents may
-- have the same name. If an agent sends no instance, its leases belong to its name.
CREATE TABLE agent (
  instance   text PRIMARY KEY,
  name       text NOT NULL,
  gfx        text NOT NULL,
  cu_num     integer NOT NULL,
  host       text NOT NULL DEFAULT '',
  version    text NOT NULL DEFAULT '',
  doing      text NOT NULL DEFAULT '',       -- for people
  first_seen timestamptz NOT NULL DEFAULT now(),
  last_seen  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX agent_name ON agent (name, instance);

CREATE TABLE job (
  id            bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  family        smallint NOT NULL REFERENCES family,
  -- tune: find the fastest candidate of the shapes. verify: measure the default and the fastest known candidates again.
  purpose       text NOT NULL DEFAULT 'tune' CHECK (purpose IN ('tune', 'verify')),
  state         text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'parked')),
  gfx           text NOT NULL,
  cu_num        integer NOT NULL,            -- 0: any
  priority      integer NOT NULL,            -- higher first
  weight        bigint NOT NULL,             -- the job's demand; jobs with more demand come first, then older jobs
  campaign      text,
  why           text,                        -- why a job to verify was planned
  owner         text,                        -- the owner whose write planned the job; null: no write
  shapes        json NOT NULL,               -- [{"M":"16",...}]
  epoch         integer NOT NULL DEFAULT 0,
  tries         integer NOT NULL DEFAULT 0,  -- failures and expiries since its creation or retry
  reasons       jsonb NOT NULL DEFAULT '[]', -- members of each: at, agent, epoch, reason
  agent         text,                        -- the last agent
  instance      text,                        -- the last agent's instance
  lease_expires timestamptz,
  rest_until    timestamptz,                 -- the agent that failed the job does not get it before this time
  progress      json,                        -- reported by the job's holder
  run           bigint REFERENCES run,
  created       timestamptz NOT NULL DEFAULT now(),
  claimed       timestamptz,
  finished      timestamptz
) WITH (fillfactor = 80);                    -- a heartbeat changes no indexed column
-- A claim reads queued jobs in this order.
CREATE INDEX job_queued ON job (gfx, priority DESC, weight DESC, id) WHERE state = 'queued';
-- An instance has at most one job. The search for expired leases also uses this index.
CREATE UNIQUE INDEX job_running ON job (instance) WHERE state = 'running';
CREATE INDEX job_parked ON job (id) WHERE state = 'parked';
CREATE INDEX job_finished ON job (finished) WHERE state = 'done';
CREATE INDEX job_open ON job (gfx, family) WHERE state <> 'done';

-- A shape for which lookups found no tuned row. Its M is the M that a tuned table needs for these lookups
-- (core/shapes/shape.h).
CREATE TABLE demand (
  id         uuid PRIMARY KEY,               -- hash of family, target and shape; for a complete target, the shape key
  family     smallint NOT NULL REFERENCES family,
  cu_num     integer NOT NULL,               -- 0: any
  gfx        text NOT NULL,                  -- '': any
  shape      json NOT NULL,                  -- {"M":"48",...}: canonical texts in the family's order
  count      bigint NOT NULL,
  first_seen timestamptz NOT NULL DEFAULT now(),
  last_seen  timestamptz NOT NULL DEFAULT now(),
  -- True: a claim copied the row from demand for any target. That demand also has the count.
  copied     boolean NOT NULL DEFAULT false,
  closed     timestamptz,                    -- when the shape was tuned, or was missed although tuned; null: open
  job        bigint REFERENCES job ON DELETE SET NULL  -- the last job with the shape
);
CREATE INDEX demand_family ON demand (family, gfx, cu_num);
CREATE INDEX demand_seen ON demand (gfx, cu_num, last_seen, id);
-- A claim reads open demand in this order.
CREATE INDEX demand_open ON demand (gfx, cu_num, family, count DESC, id) WHERE closed IS NULL AND job IS NULL;
CREATE INDEX demand_closed ON demand (closed) WHERE closed IS NOT NULL;
CREATE INDEX demand_job ON demand (job) WHERE job IS NOT NULL;

-- True if the shape key has a tuned row of the target's own provider. For families whose shape keys name an engine,
-- the row of every provider counts. A claim checks such families again.
CREATE FUNCTION is_tuned(asked uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM tuned WHERE key = asked AND standing < 2 AND NOT baseline
                 AND provider = CASE WHEN gfx LIKE 'gfx%' THEN 0 ELSE 1 END)
$$;

-- The last time a server checked the leases. A longer time without a check was an outage of the database or of all
-- servers. During an outage, no agent could renew a lease.
CREATE TABLE lease_watch (
  one  boolean PRIMARY KEY DEFAULT true CHECK (one),  -- there is one row
  seen timestamptz NOT NULL
);
INSERT INTO lease_watch (seen) VALUES ('-infinity');


-- Points: how well the hub served models and families at the revision of an import or a revert, or at a day's last
-- revision. A point stores only rows that differ from the point before. The other rows are in earlier points. The
-- time of a point is the time of its revision.

-- The definitions with which points were made. If a point is made later than its revision, its family versions may be
-- newer than the revision.
CREATE TABLE point_basis (
  id              integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  models_version  integer NOT NULL REFERENCES models_version,
  targets_version smallint NOT NULL REFERENCES targets_version,
  family_versions jsonb NOT NULL,            -- {"3": 1}: by the family's id
  UNIQUE (models_version, targets_version, family_versions)
);

-- Points follow the order of their revisions, so the earlier of two points has the smaller id.
CREATE TABLE point (
  id        bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  revision  bigint NOT NULL UNIQUE REFERENCES revision,  -- if two servers make the same point, one succeeds
  basis     integer NOT NULL REFERENCES point_basis,
  filled_in boolean NOT NULL,                -- made later, from the history, with definitions of that later time
  made      timestamptz NOT NULL DEFAULT now()
);

-- A model on a target, over its families on the target. shapes = 0: the model no longer exists.
CREATE TABLE point_model (
  point      bigint NOT NULL REFERENCES point,
  model      text NOT NULL,
  gfx        text NOT NULL,
  cu_num     integer NOT NULL,
  tp         smallint NOT NULL,              -- the model's TP: the largest of 8, 4, 2 and 1 that can split the model
  buckets    integer NOT NULL,               -- buckets of M with at least one shape
  covered    float8 NOT NULL,                -- the sum of the buckets' shares of shapes that find a tuned row
  shapes     integer NOT NULL,
  found      integer NOT NULL,               -- shapes with a tuned row
  baseline   integer NOT NULL,
  unmeasured integer NOT NULL,
  missing    integer NOT NULL,
  PRIMARY KEY (point, model, gfx, cu_num)
);

-- A family's tuned rows of a target, at the last revision that changed the family. tuned = 0: none.
CREATE TABLE point_family (
  point        bigint NOT NULL REFERENCES point,
  family       smallint NOT NULL REFERENCES family,
  gfx          text NOT NULL,
  cu_num       integer NOT NULL,
  tuned        bigint NOT NULL,              -- keys
  measured     bigint NOT NULL,              -- of these, keys whose default was also measured
  log_speedups float8 NOT NULL,              -- the sum of ln(default / tuned) over these keys
  since        bigint NOT NULL,              -- the median of the revisions since which the rows are served; 0: none
  PRIMARY KEY (point, family, gfx, cu_num)
);


-- The webhook (server/webhook): what it has told, and what it still has to send.

CREATE TABLE webhook (
  one      boolean PRIMARY KEY DEFAULT true CHECK (one),  -- there is one row, since the first start with a webhook
  since    timestamptz NOT NULL DEFAULT now(),            -- older misses are not told
  revision bigint NOT NULL                   -- rows up to this revision have been compared
);

CREATE TABLE notice (
  id     bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  event  text NOT NULL CHECK (event IN ('slower', 'missing', 'unconfirmed', 'parked')),
  family smallint NOT NULL REFERENCES family,
  gfx    text NOT NULL,                      -- as in demand or job
  cu_num integer NOT NULL,
  count  bigint NOT NULL,                    -- number of shape keys, shapes or jobs
  -- Later notices of this event and table are about larger marks: revisions, microseconds since 1970, or measurements.
  mark   bigint NOT NULL,
  about  bigint[] NOT NULL DEFAULT '{}',     -- at most ten: the two revisions, runs or jobs
  made   timestamptz NOT NULL DEFAULT now(),
  tries  integer NOT NULL DEFAULT 0,
  due    timestamptz DEFAULT now()           -- when a server sends it next; null: sent, or given up
);
CREATE INDEX notice_table ON notice (event, family, gfx, cu_num, mark);
CREATE INDEX notice_due ON notice (due) WHERE due IS NOT NULL;
