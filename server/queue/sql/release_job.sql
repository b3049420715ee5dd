-- Releases a job without counting a try. Keeps only the last reason of each agent and the last $5 reasons in total,
-- because the number of releases has no limit. Parameters: id, instance, epoch, reason or null, kept reasons.
UPDATE job SET state = 'queued', lease_expires = NULL, claimed = NULL,
               reasons = CASE WHEN $4::text IS NULL THEN reasons ELSE (
                 SELECT coalesce(jsonb_agg(others.it ORDER BY others.place), '[]')
                 FROM (SELECT listed.it, listed.place,
                              row_number() OVER (PARTITION BY listed.it -> 'released'
                                                 ORDER BY listed.place DESC) AS newest
                       FROM jsonb_array_elements(job.reasons) WITH ORDINALITY AS listed (it, place)
                       WHERE listed.it -> 'released' IS NULL OR listed.it ->> 'agent' <> job.agent) AS others
                 WHERE others.it -> 'released' IS NULL OR others.newest < $5::bigint
               ) || jsonb_build_object(
                 'at', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                 'agent', agent, 'epoch', epoch, 'reason', $4::text, 'released', true) END
WHERE id = $1 AND instance = $2 AND epoch = $3 AND state = 'running'
RETURNING *
