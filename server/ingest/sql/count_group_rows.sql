-- Of the runs of a group's batches ($1). In the order of their ids: two groups do not wait for each other.
WITH counted AS (
  SELECT run, sum(rows) AS rows FROM json_to_recordset($1::json) AS g(run bigint, rows bigint) GROUP BY run
), held AS MATERIALIZED (
  SELECT r.id, c.rows FROM run r JOIN counted c ON c.run = r.id ORDER BY r.id FOR NO KEY UPDATE OF r
)
UPDATE run r SET rows = r.rows + h.rows, stored = r.stored + h.rows FROM held h WHERE r.id = h.id
