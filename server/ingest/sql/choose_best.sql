-- Chooses the winners of the touched shape keys.
WITH rivals AS (
  SELECT t.key, t.provider, t.change, c.candidate, c.measurement, c.standing, c.rank, c.run_time, c.run, c.us, c.error,
         c.low, c.high, c.since_time, c.since_run, c.since_us, c.agreed
  FROM touched t
  LEFT JOIN candidate c ON c.key = t.key AND c.provider = t.provider AND c.standing < 3
),
@win@
INSERT INTO best (key, provider, candidate, measurement, standing, why, change)
SELECT key, provider, candidate, measurement, standing, why, change FROM winner
