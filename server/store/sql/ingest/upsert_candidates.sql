-- What a candidate stands by, where nobody calls it wrong: the rule is StandsBy of core/row/winner.h. What was
-- called wrong before is measured right again. $1, $2: the run, whose start and content hash order it.
INSERT INTO candidate AS c (key, candidate, run, run_time, us, error, measurement, provider, standing)
SELECT key, candidate, $1, $2, us, error, id, provider, standing
FROM stage
WHERE standing < 3
ON CONFLICT (key, provider, candidate) DO UPDATE
SET run = excluded.run, run_time = excluded.run_time, us = excluded.us, error = excluded.error,
    measurement = excluded.measurement, standing = excluded.standing
WHERE (c.standing = 3 AND excluded.standing = 0)
   OR c.standing <> 3
  AND (CASE excluded.standing WHEN 2 THEN 0 WHEN 1 THEN 1 ELSE 2 END, excluded.run_time, excluded.run)
    > (CASE c.standing WHEN 2 THEN 0 WHEN 1 THEN 1 ELSE 2 END, c.run_time, c.run)
