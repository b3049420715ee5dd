-- A start in the future would be later than every later measurement. So the hub replaces it by the time of receipt.
-- $10: a job. The run's results need no confirmation if the job is to verify and an agent of the owner has the job.
-- An agent's instance begins with its owner and U+001F. Without U+001F the instance belongs to the default owner.
INSERT INTO run (hash, started, finished, provider, source, error_limit, provenance, owner, trusted, confirmed, job)
SELECT $1, least(coalesce($2::timestamptz, clock_timestamp()), clock_timestamp()), $3, $4, $5, $6, $7, $8, $9,
       j.id IS NOT NULL, j.id
FROM (SELECT) AS one
LEFT JOIN job j ON j.id = $10 AND j.purpose = 'verify' AND j.state = 'running'
               AND CASE WHEN strpos(j.instance, E'\x1f') > 0 THEN split_part(j.instance, E'\x1f', 1) ELSE 'default' END = $8
ON CONFLICT (hash) DO NOTHING
RETURNING id
