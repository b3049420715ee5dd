-- A candidate's time is that of its latest run: by start, then by content hash.
INSERT INTO candidate AS c (key, candidate, run, run_time, us, error, measurement, provider, standing)
SELECT key, candidate, $1, $2, us, error, id, provider, standing
FROM stage
WHERE standing < 3
ON CONFLICT (key, provider, candidate) DO UPDATE
SET run = excluded.run, run_time = excluded.run_time, us = excluded.us, error = excluded.error,
    measurement = excluded.measurement, standing = excluded.standing
WHERE (excluded.run_time, excluded.run) > (c.run_time, c.run)
