-- Once per connection: the tables that one batch passes through. Rows go at each commit, the tables
-- stay: creating them per batch would bloat the catalogue.
CREATE TEMPORARY TABLE stage (
  id             bigint NOT NULL,
  key            uuid NOT NULL,
  candidate      uuid NOT NULL,
  us             float8,
  error          float8,
  family         smallint NOT NULL,
  family_version smallint NOT NULL,
  provider       smallint NOT NULL,
  standing       smallint NOT NULL,
  cu_num         integer NOT NULL,
  place          smallint NOT NULL,  -- 0: the best of its key and provider in this batch; 1: the others
  alone          boolean NOT NULL,   -- no other candidate of its key and provider is in this batch
  gfx            text NOT NULL,
  ord            bytea NOT NULL,
  reason         text,
  line           text NOT NULL,
  evidence       jsonb
) ON COMMIT DELETE ROWS;
-- What judging again found: other standings, other places in the order.
CREATE TEMPORARY TABLE judged (
  id       bigint NOT NULL,
  key      uuid NOT NULL,
  standing smallint NOT NULL,
  reason   text NOT NULL
) ON COMMIT DELETE ROWS;
CREATE TEMPORARY TABLE reordered (
  key uuid NOT NULL,
  ord bytea NOT NULL
) ON COMMIT DELETE ROWS;
CREATE TEMPORARY TABLE touched (
  key      uuid NOT NULL,
  provider smallint NOT NULL,
  PRIMARY KEY (key, provider)
) ON COMMIT DELETE ROWS;
CREATE TEMPORARY TABLE best (
  key         uuid NOT NULL,
  provider    smallint NOT NULL,
  candidate   uuid,
  measurement bigint,
  standing    smallint,
  why         smallint,
  PRIMARY KEY (key, provider)
) ON COMMIT DELETE ROWS;
