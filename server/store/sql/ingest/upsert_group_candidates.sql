-- As upsert_candidates, of a group's batches ($1).
INSERT INTO candidate AS c (key, candidate, run, run_time, us, error, measurement, provider, standing)
SELECT s.key, s.candidate, g.hash, g.run_time, s.us, s.error, s.id, s.provider, s.standing
FROM stage s
JOIN json_to_recordset($1::json) AS g(batch bigint, hash uuid, run_time bigint) ON g.batch = s.id >> 20
WHERE s.standing < 3
ON CONFLICT (key, provider, candidate) DO UPDATE
SET run = excluded.run, run_time = excluded.run_time, us = excluded.us, error = excluded.error,
    measurement = excluded.measurement, standing = excluded.standing
WHERE (c.standing = 3 AND excluded.standing = 0)
   OR c.standing <> 3
  AND (CASE excluded.standing WHEN 2 THEN 0 WHEN 1 THEN 1 ELSE 2 END, excluded.run_time, excluded.run)
    > (CASE c.standing WHEN 2 THEN 0 WHEN 1 THEN 1 ELSE 2 END, c.run_time, c.run)
