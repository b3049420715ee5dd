-- As insert_candidates, of a group's batches ($1).
INSERT INTO candidate (key, candidate, run, run_time, us, error, measurement, provider, standing)
SELECT s.key, s.candidate, g.hash, g.run_time, s.us, s.error, s.id, s.provider, s.standing
FROM stage s
JOIN json_to_recordset($1::json) AS g(batch bigint, hash uuid, run_time bigint) ON g.batch = s.id >> 20
WHERE s.standing < 4
