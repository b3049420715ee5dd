-- Whose word counts (docs/trust.md).
-- Made by an admin key; or an import by a key that is limited to sources, whose rows are upstream's own.
ALTER TABLE run ADD COLUMN trusted boolean NOT NULL DEFAULT false;
UPDATE run SET trusted = true WHERE source IS NOT NULL;

-- No roofline bounds the key's times: they are held against each other.
ALTER TABLE tuned ADD COLUMN relative boolean NOT NULL DEFAULT false;

-- Beside what orders a row, whose it is and when it was received: the batch that brought it, of an import's
-- row the import since which the source has had it.
CREATE OR REPLACE VIEW in_order AS
SELECT i.*, r.hash, (extract(epoch FROM r.started) * 1000000)::bigint AS run_time, r.owner,
       r.trusted AND i.source IS NULL AS decides,
       CASE WHEN i.source IS NULL THEN i.id >> 20
            -- The batch that is being written has no run yet, and is the latest.
            ELSE coalesce((SELECT min(b.id) FROM batch b WHERE b.run = r.id), 9223372036854775807) END AS received
FROM in_force i
JOIN run r ON r.id = CASE WHEN i.source IS NULL THEN i.run
                          ELSE place_of(i.source_name, i.runs, i.counted_by) END;
