-- Adds the batches' counts to their runs ($1). Updates in the order of run ids prevent deadlocks between two groups.
WITH counted AS (
  SELECT run, sum(rows) AS rows, sum(stored) AS stored, max(repeats) AS repeats, max(digest) AS digest
  FROM json_to_recordset($1::json) AS g(run bigint, rows bigint, stored bigint, repeats bigint, digest text)
  GROUP BY run
), held AS MATERIALIZED (
  SELECT r.id, c.* FROM run r JOIN counted c ON c.run = r.id ORDER BY r.id FOR NO KEY UPDATE OF r
)
UPDATE run r
SET rows = r.rows + h.rows, stored = r.stored + h.stored, repeats = coalesce(h.repeats, r.repeats),
    digest = coalesce(h.digest, r.digest)
FROM held h WHERE r.id = h.id
