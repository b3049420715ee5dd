-- Removes demand $1 from the claims' index, because job $2 has its shape. Job 0: the shape is tuned, or no lookup
-- uses it.
WITH held AS (
  SELECT d.id, x.job
  FROM unnest($1::uuid[], $2::bigint[]) AS x(id, job) JOIN demand d ON d.id = x.id
  ORDER BY d.id FOR UPDATE OF d
)
UPDATE demand d
SET job = nullif(h.job, 0), closed = CASE WHEN h.job = 0 THEN now() ELSE d.closed END
FROM held h WHERE d.id = h.id
