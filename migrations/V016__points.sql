-- How well models and families were served when it changed: a point is of the revision of an import or a revert,
-- or of the last revision of a day. What a point has is what differs from the point before: who reads them carries
-- forward. When it was follows from its revision.

-- configs/models as it was, as one JSON object of its files by name: what a point was counted by.
CREATE TABLE models_version (
  version    integer PRIMARY KEY,
  sha256     text NOT NULL UNIQUE,
  definition text NOT NULL,
  created    timestamptz NOT NULL DEFAULT now()
);

-- The definitions that points were made with. A point that was filled in later has other versions of the families
-- than its revision.
CREATE TABLE point_basis (
  id              integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  models_version  integer NOT NULL REFERENCES models_version,
  targets_version smallint NOT NULL REFERENCES targets_version,
  family_versions jsonb NOT NULL,            -- {"3": 1}: by the family's id
  UNIQUE (models_version, targets_version, family_versions)
);

-- Points are made in the order of their revisions, so the point before has the smaller id.
CREATE TABLE point (
  id        bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  revision  bigint NOT NULL UNIQUE REFERENCES revision,  -- of two servers that make it, one does
  basis     integer NOT NULL REFERENCES point_basis,
  filled_in boolean NOT NULL,                -- made afterwards, from the history, by the definitions of then
  made      timestamptz NOT NULL DEFAULT now()
);

-- A model on a target, over the families that it asks there. No shapes: it is asked no more.
CREATE TABLE point_model (
  point      bigint NOT NULL REFERENCES point,
  model      text NOT NULL,
  gfx        text NOT NULL,
  cu_num     integer NOT NULL,
  tp         smallint NOT NULL,              -- what it is split over: the largest of 8, 4, 2 and 1 that it can be
  flops      float8 NOT NULL,                -- of a token on one of these GPUs
  covered    float8 NOT NULL,                -- of these, what finds a tuned row; buckets of M weigh the same
  shapes     integer NOT NULL,
  found      integer NOT NULL,               -- of the shapes: by a tuned row
  baseline   integer NOT NULL,
  unmeasured integer NOT NULL,
  missing    integer NOT NULL,
  PRIMARY KEY (point, model, gfx, cu_num)
);

-- A family's tuned rows of a target, as of the last revision that changed the family. No tuned keys: there are none.
CREATE TABLE point_family (
  point        bigint NOT NULL REFERENCES point,
  family       smallint NOT NULL REFERENCES family,
  gfx          text NOT NULL,
  cu_num       integer NOT NULL,
  tuned        bigint NOT NULL,              -- keys
  measured     bigint NOT NULL,              -- of these, whose default was measured too
  log_speedups float8 NOT NULL,              -- of these the sum of ln(default / tuned)
  since        bigint NOT NULL,              -- the median of the revisions at which the rows came into force; 0: none
  PRIMARY KEY (point, family, gfx, cu_num)
);
