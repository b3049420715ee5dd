-- The registry. Words as in ARCHITECTURE.md: a key is family + target + shape + tag; a candidate is
-- what ran; a measurement is one candidate timed on one key in one run; a tuned row is the candidate
-- that now wins a key for a provider.
--
-- Keys and candidates are 16-byte hashes of canonical texts, made in C++ (core/row/key.h), as uuid: 2.5
-- times the ingest rate of a jsonb key. Every table of the bulk path leads its one index with the key,
-- and every batch comes sorted by it.

CREATE TABLE family (
  id      smallint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name    text NOT NULL UNIQUE,
  version smallint NOT NULL DEFAULT 1        -- the one in force
);

-- The family file as it was, so that an old revision is rendered by the columns it had.
CREATE TABLE family_version (
  family     smallint NOT NULL REFERENCES family,
  version    smallint NOT NULL,
  sha256     text NOT NULL,
  definition text NOT NULL,
  created    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (family, version)
);

-- configs/targets.json decides standings too.
CREATE TABLE targets_version (
  version    smallint PRIMARY KEY,
  sha256     text NOT NULL,
  definition text NOT NULL,
  created    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE run (
  id          bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  hash        uuid NOT NULL UNIQUE,          -- of the content: a run posted twice is one run
  started     timestamptz NOT NULL,          -- never later than received; orders the runs, then hash
  finished    timestamptz,
  received    timestamptz NOT NULL DEFAULT now(),
  provider    smallint,                      -- 0 aiter, 1 tunehub; null: by the target of each row
  source      text,                          -- an import's name: a later import of it supersedes this
  error_limit float8,                        -- null: the family's
  provenance  jsonb NOT NULL DEFAULT '{}',
  active      boolean NOT NULL DEFAULT true, -- its measurements may win
  reverted    timestamptz
);
CREATE INDEX run_source ON run (source) WHERE source IS NOT NULL;

CREATE TABLE api_key (
  id        bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  sha256    text NOT NULL UNIQUE,            -- of the key; the key itself is shown once and not kept
  hint      text NOT NULL,                   -- its first characters, to tell keys apart in a list
  scope     text NOT NULL CHECK (scope IN ('read', 'submit', 'claim', 'admin')),
  created   timestamptz NOT NULL DEFAULT now(),
  expires   timestamptz,
  last_used timestamptz,
  revoked   timestamptz
);

-- One accepted write. Its id is also the change id of what it changed: gaps are allowed, and within a
-- family ids grow in commit order, because the family's lock is taken first.
CREATE TABLE batch (
  id              bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  kind            text NOT NULL,             -- results, import, revert, reclassify
  api_key         bigint NOT NULL DEFAULT 0, -- 0: none (the server's own commands)
  idempotency_key text,
  digest          text NOT NULL,             -- sha256 of body, path and query
  run             bigint REFERENCES run,
  received        timestamptz NOT NULL DEFAULT now(),
  receipt         text
);
CREATE UNIQUE INDEX batch_idempotency ON batch (api_key, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX batch_run ON batch (run);

-- Append-only. id = batch * 2^20 + the row's place in it.
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
  reason         text,                       -- of the standing
  line           text NOT NULL,              -- every column of the family version, as CSV
  evidence       jsonb                       -- samples, timing kind, status
);
CREATE UNIQUE INDEX measurement_identity ON measurement (key, run, candidate);

-- Per candidate the measurement of its latest active run: what competes.
CREATE TABLE candidate (
  key         uuid NOT NULL,
  candidate   uuid NOT NULL,
  run         uuid NOT NULL,                 -- run.hash
  run_time    bigint NOT NULL,               -- run.started, microseconds since 1970
  us          float8,
  error       float8,
  measurement bigint NOT NULL,
  provider    smallint NOT NULL,
  standing    smallint NOT NULL,
  PRIMARY KEY (key, provider, candidate)
);

-- One row per key and provider that was ever written. measurement is null while nothing may be served.
CREATE TABLE tuned (
  key         uuid NOT NULL,
  candidate   uuid,
  measurement bigint,
  change      bigint NOT NULL,               -- the batch that last changed what is served
  cu_num      integer NOT NULL,
  family      smallint NOT NULL,
  provider    smallint NOT NULL,
  standing    smallint,
  why         smallint,                      -- core/row/winner.h
  gfx         text NOT NULL,
  ord         bytea NOT NULL,                -- memcmp order = the order of the served rows
  PRIMARY KEY (key, provider)
) WITH (fillfactor = 90);
CREATE INDEX tuned_change ON tuned USING brin (change) WITH (pages_per_range = 16);

-- What a key served before: written on replacement only, the open interval is in tuned.
CREATE TABLE tuned_history (
  key         uuid NOT NULL,
  provider    smallint NOT NULL,
  family      smallint NOT NULL,
  measurement bigint NOT NULL,
  standing    smallint NOT NULL,
  why         smallint NOT NULL,
  from_change bigint NOT NULL,
  to_change   bigint NOT NULL
);
CREATE INDEX tuned_history_key ON tuned_history (key, provider);
CREATE INDEX tuned_history_family ON tuned_history (family, to_change);

-- The registry's numbers. revision has no gaps: the number is taken by the last statements of a
-- transaction under this row's lock. change is the batch that made it; batches that changed nothing
-- served have none.
CREATE TABLE revision (
  number  bigint PRIMARY KEY,
  change  bigint NOT NULL UNIQUE,
  created timestamptz NOT NULL DEFAULT clock_timestamp(),
  kind    text NOT NULL,
  cause   text NOT NULL
);
CREATE TABLE revision_family (
  family          smallint NOT NULL,
  number          bigint NOT NULL REFERENCES revision,
  family_version  smallint NOT NULL,
  targets_version smallint NOT NULL,
  changed         bigint NOT NULL,           -- tuned rows
  body_sha256     text,                      -- of the unfiltered table, once it was rendered
  PRIMARY KEY (family, number)
);
CREATE TABLE registry (
  one      boolean PRIMARY KEY DEFAULT true CHECK (one),  -- there is one row
  revision bigint NOT NULL,
  evidence bigint NOT NULL                   -- grows with every batch, also one that changes nothing served
);
INSERT INTO registry (revision, evidence) VALUES (0, 0);

CREATE TABLE audit (
  at      timestamptz NOT NULL DEFAULT now(),
  api_key bigint,
  action  text NOT NULL,
  detail  text NOT NULL
);
