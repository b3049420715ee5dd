-- Whose time counts (docs/trust.md).

-- Of what has no time to believe: 0 upstream's choice or an admin's, 1 others', 2 a kernel that no family knows.
CREATE FUNCTION rank_of(trusted boolean, reason text) RETURNS smallint
LANGUAGE sql IMMUTABLE AS $$
  SELECT (CASE WHEN trusted THEN 0 WHEN reason LIKE 'unknown_kernel:%' THEN 2 ELSE 1 END)::smallint
$$;

-- owner: of all rows of the candidate; null: of several, so that what it stands by follows from all of them.
ALTER TABLE candidate ADD COLUMN owner text, ADD COLUMN rank smallint NOT NULL DEFAULT 1;
INSERT INTO unsettled (key, provider) SELECT key, provider FROM tuned ON CONFLICT DO NOTHING;

DROP VIEW in_order;
CREATE OR REPLACE VIEW in_force AS
SELECT m.id, m.run, m.key, m.candidate, m.us, m.error, m.family_version, m.provider, m.standing, m.line,
       m.is_default, m.searched, m.source, m.runs, s.name AS source_name,
       CASE WHEN m.source IS NULL THEN m.run ELSE s.head END AS counted_by, m.reason
FROM measurement m
LEFT JOIN source s ON s.id = m.source
LEFT JOIN run r ON r.id = m.run AND m.source IS NULL
WHERE CASE WHEN m.source IS NULL THEN r.active ELSE m.runs @> s.head END;

-- Beside what orders a row, whose it is and when it was received: the batch that brought it, of an import's
-- row the import since which the source has had it.
CREATE VIEW in_order AS
SELECT i.*, r.hash, (extract(epoch FROM r.started) * 1000000)::bigint AS run_time, r.owner,
       r.trusted AND i.source IS NULL AS decides, rank_of(r.trusted, i.reason) AS rank,
       CASE WHEN i.source IS NULL THEN i.id >> 20
            -- The batch that is being written has no run yet, and is the latest.
            ELSE coalesce((SELECT min(b.id) FROM batch b WHERE b.run = r.id), 9223372036854775807) END AS received
FROM in_force i
JOIN run r ON r.id = CASE WHEN i.source IS NULL THEN i.run
                          ELSE place_of(i.source_name, i.runs, i.counted_by) END;

-- What each owner's writes have taken away from a family's table within a day.
CREATE TABLE loss (
  owner   text NOT NULL,
  family  smallint NOT NULL,
  at      timestamptz NOT NULL DEFAULT now(),
  keys    bigint NOT NULL,                   -- that lost their row or its time
  others  bigint NOT NULL                    -- those of them whose row was another owner's
);
CREATE INDEX loss_owner ON loss (owner, family);

-- Whose write planned it; null: before, or nobody's.
ALTER TABLE job ADD COLUMN owner text;
