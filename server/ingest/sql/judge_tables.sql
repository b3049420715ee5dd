-- Temporary tables for the results when the hub judges measurements again: new standings, and new sort keys.
CREATE TEMPORARY TABLE judged (
  id       bigint NOT NULL,
  key      uuid NOT NULL,
  standing smallint NOT NULL,
  reason   text NOT NULL
) ON COMMIT DROP;
CREATE TEMPORARY TABLE reordered (
  key uuid NOT NULL,
  ord bytea NOT NULL,
  relative boolean NOT NULL
) ON COMMIT DROP;
