-- Removes demand $1 from the claims' index, because job $2 has its shape. Job 0: the shape is tuned, or no lookup
-- uses it. Demand stays open if a batch after $3 changed the shape's row, because the caller has not read that batch.
WITH held AS (
  SELECT d.id, x.job
  FROM unnest($1::uuid[], $2::bigint[]) AS x(id, job) JOIN demand d ON d.id = x.id
  ORDER BY d.id FOR UPDATE OF d
)
UPDATE demand d
SET job = coalesce(nullif(h.job, 0), d.job),
    closed = CASE WHEN h.job = 0 AND NOT EXISTS (SELECT FROM tuned WHERE key = d.id AND change > $3) THEN now()
                  ELSE d.closed END
FROM held h WHERE d.id = h.id
