-- What a source has again is not stored again: its row says which of the source's imports have it, and
-- whether it counts follows from the import in force.

CREATE TABLE source (
  id   integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL UNIQUE,                 -- as in run.source
  head bigint REFERENCES run                 -- the import in force: the latest that was not reverted
);
INSERT INTO source (name, head)
SELECT source, max(id) FILTER (WHERE active) FROM run WHERE source IS NOT NULL GROUP BY source;

-- Imports of a source follow each other by their ids, under the registry's lock.
DROP INDEX run_source;
CREATE INDEX run_source ON run (source, id) WHERE source IS NOT NULL;

ALTER TABLE run
  ADD COLUMN rows    bigint NOT NULL DEFAULT 0,  -- that it has
  ADD COLUMN stored  bigint NOT NULL DEFAULT 0,  -- those that no import of its source had before
  ADD COLUMN repeats bigint,                     -- the import before it, where it had rows of the same
  ADD COLUMN digest  text;                       -- of what was imported, where nothing was left out of it
UPDATE run r SET rows = m.rows, stored = m.rows
FROM (SELECT run, count(*) AS rows FROM measurement GROUP BY run) AS m
WHERE m.run = r.id;

-- Of a source's row: the source, and its imports that have the row; measurement.run is the first of them.
-- An import is known by its id, from it to the id of the next that lacks the row; no end: the latest has
-- it. Both are null for what is no import.
ALTER TABLE measurement ADD COLUMN source integer, ADD COLUMN runs int8multirange;
UPDATE measurement m
SET source = o.source, runs = int8multirange(int8range(m.run, o.next))
FROM (SELECT r.id, s.id AS source, lead(r.id) OVER (PARTITION BY r.source ORDER BY r.id) AS next
      FROM run r JOIN source s ON s.name = r.source) AS o
WHERE o.id = m.run;
CREATE INDEX measurement_source ON measurement (source, upper_inf(runs)) WHERE source IS NOT NULL;

-- Where set, the receipt is a JSON merge patch (RFC 7386) of that batch's.
ALTER TABLE batch ADD COLUMN repeats bigint;

-- The import since which every one that was not reverted has had a row of the import in force: a repeated
-- row keeps that one's place in the order of runs.
CREATE FUNCTION place_of(of_source text, runs int8multirange, head bigint) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
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

-- The measurements that count.
CREATE VIEW in_force AS
SELECT m.id, m.run, m.key, m.candidate, m.us, m.error, m.family_version, m.provider, m.standing, m.line,
       m.is_default, m.searched, m.source, m.runs, s.name AS source_name,
       CASE WHEN m.source IS NULL THEN m.run ELSE s.head END AS counted_by
FROM measurement m
LEFT JOIN source s ON s.id = m.source
LEFT JOIN run r ON r.id = m.run AND m.source IS NULL
WHERE CASE WHEN m.source IS NULL THEN r.active ELSE m.runs @> s.head END;

-- The same with the start and the hash that order them.
CREATE VIEW in_order AS
SELECT i.*, r.hash, (extract(epoch FROM r.started) * 1000000)::bigint AS run_time
FROM in_force i
JOIN run r ON r.id = CASE WHEN i.source IS NULL THEN i.run
                          ELSE place_of(i.source_name, i.runs, i.counted_by) END;

-- The rows of each run, also of one that repeats them.
CREATE VIEW run_row AS
SELECT m.run AS of_run, m.id, m.run AS stored_by, m.key, m.candidate, m.us, m.family_version, m.provider,
       m.standing, m.reason, m.line
FROM measurement m WHERE m.source IS NULL
UNION ALL
SELECT r.id, m.id, m.run, m.key, m.candidate, m.us, m.family_version, m.provider, m.standing, m.reason,
       m.line
FROM run r
JOIN source s ON s.name = r.source
JOIN measurement m ON m.source = s.id AND m.runs @> r.id;
