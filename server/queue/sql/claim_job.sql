-- This is one statement, so that a claim is one round trip. Renews the lease of the instance's own job. Without such
-- a job, takes the next job that fits and that no other claim takes now. An instance that failed a job gets it again
-- only after rest_until. Records the agent every ten seconds. again: true if an agent had the job before. Parameters:
-- agent, gfx, cu_num, families, lease in milliseconds, if jobs to verify fit, instance, jobs that do not fit.
WITH noted AS (
  INSERT INTO agent AS a (instance, name, gfx, cu_num)
  SELECT $7::text, $1::text, $2::text, $3::integer
  WHERE NOT EXISTS (SELECT FROM agent WHERE instance = $7 AND name = $1 AND gfx = $2 AND cu_num = $3
                    AND last_seen > now() - interval '10 seconds')
  ON CONFLICT (instance) DO UPDATE
  SET name = excluded.name, gfx = excluded.gfx, cu_num = excluded.cu_num, last_seen = now()
), own AS (
  UPDATE job SET lease_expires = now() + $5 * interval '1 millisecond', agent = $1
  WHERE state = 'running' AND instance = $7 AND gfx = $2 AND cu_num IN (0, $3::integer)
    AND ($4::smallint[] IS NULL OR family = ANY ($4))
  RETURNING *
), next AS (
  SELECT id FROM job
  WHERE state = 'queued' AND gfx = $2 AND cu_num IN (0, $3::integer)
    AND ($4::smallint[] IS NULL OR family = ANY ($4))
    AND (purpose = 'tune' OR $6)
    AND id <> ALL ($8::bigint[])
    AND (rest_until IS NULL OR rest_until <= now() OR instance <> $7)
    AND NOT EXISTS (SELECT FROM own)
  ORDER BY priority DESC, weight DESC, id
  LIMIT 1 FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE job SET state = 'running', agent = $1, instance = $7, epoch = epoch + 1, claimed = now(),
                 progress = NULL, rest_until = NULL,
                 lease_expires = now() + $5 * interval '1 millisecond'
  FROM next WHERE job.id = next.id
  RETURNING job.*
)
SELECT own.*, true AS again FROM own UNION ALL SELECT taken.*, epoch > 1 FROM taken
