-- What a candidate stands by: the rule is Displaces of core/row/winner.h. $1, $2: the run, whose start and
-- content hash order it.
INSERT INTO candidate AS c (key, candidate, run, run_time, us, error, measurement, provider, standing)
SELECT key, candidate, $1, $2, us, error, id, provider, standing
FROM stage
WHERE standing < 4
ON CONFLICT (key, provider, candidate) DO UPDATE
SET run = excluded.run, run_time = excluded.run_time, us = excluded.us, error = excluded.error,
    measurement = excluded.measurement, standing = excluded.standing
WHERE (excluded.standing <> 2, excluded.run_time, excluded.run) > (c.standing <> 2, c.run_time, c.run)
