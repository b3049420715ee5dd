-- As upsert_candidates, where every key of the batch is new and so can have no candidate yet: without
-- the search for conflicts it takes half the time.
INSERT INTO candidate (key, candidate, run, run_time, us, error, measurement, provider, standing)
SELECT key, candidate, $1, $2, us, error, id, provider, standing
FROM stage
WHERE standing < 4
