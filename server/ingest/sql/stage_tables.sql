-- The temporary tables of one batch. The transaction's end drops them. (Tables that live as long as a session would
-- stop VACUUM from advancing the database's oldest transaction id.) ANALYZE samples 3,000 rows. They are enough for
-- the planner, and take a tenth of the time of 30,000 rows.
SET LOCAL default_statistics_target = 10;
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
  place          smallint NOT NULL,  -- 0: the best of its key and provider in this batch; 1: any other
  alone          boolean NOT NULL,   -- the batch has no other candidate of its key and provider
  is_default     boolean NOT NULL,
  searched       boolean NOT NULL,
  relative       boolean NOT NULL,
  gfx            text NOT NULL,
  ord            bytea NOT NULL,
  reason         text,
  line           text NOT NULL,
  evidence       jsonb,
  low            float8,
  high           float8
) ON COMMIT DROP;
