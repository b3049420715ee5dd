-- Like upsert_candidates, for batches with only new shape keys, for which no candidate exists. Without checks for
-- conflicts, this takes half the time.
INSERT INTO candidate (key, candidate, run, run_time, us, error, measurement, provider, standing, owner, rank, low,
                       high)
SELECT s.key, s.candidate, r.hash, (extract(epoch FROM r.started) * 1000000)::bigint, s.us, s.error, s.id,
       s.provider, s.standing, r.owner, rank_of(r.trusted, s.reason), s.low, s.high
FROM stage s
JOIN json_to_recordset($1::json) AS g(batch bigint, run bigint) ON g.batch = s.id >> 20
JOIN run r ON r.id = g.run
WHERE s.standing < 4
