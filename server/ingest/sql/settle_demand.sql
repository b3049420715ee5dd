-- Closes demand for shapes that the batches $1 tuned, and opens demand for shapes that lost their row.
WITH settled AS (
  SELECT d.id
  FROM demand d
  WHERE d.id IN (SELECT key FROM tuned WHERE change = ANY ($1::bigint[]))
    AND is_tuned(d.id) <> (d.closed IS NOT NULL)
  ORDER BY d.id FOR UPDATE
)
UPDATE demand d SET closed = CASE WHEN d.closed IS NULL THEN now() END FROM settled s WHERE d.id = s.id
