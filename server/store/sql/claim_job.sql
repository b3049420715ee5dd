-- One statement, so that a claim is one round trip: the agent's own job with its lease renewed, else
-- the next that fits and that nobody else is taking at this moment. A job that the agent failed
-- rests, for it alone. That the agent is there is noted, every ten seconds. Parameters: agent, gfx,
-- cu_num, families, milliseconds of the lease, whether jobs to measure fit.
WITH noted AS (
  INSERT INTO agent AS a (name, gfx, cu_num)
  SELECT $1::text, $2::text, $3::integer
  WHERE NOT EXISTS (SELECT FROM agent WHERE name = $1 AND gfx = $2 AND cu_num = $3
                    AND last_seen > now() - interval '10 seconds')
  ON CONFLICT (name) DO UPDATE
  SET gfx = excluded.gfx, cu_num = excluded.cu_num, last_seen = now()
), own AS (
  UPDATE job SET lease_expires = now() + $5 * interval '1 millisecond'
  WHERE state = 'running' AND agent = $1 AND gfx = $2 AND cu_num IN (0, $3::integer)
    AND ($4::smallint[] IS NULL OR family = ANY ($4))
  RETURNING *
), next AS (
  SELECT id FROM job
  WHERE state = 'queued' AND gfx = $2 AND cu_num IN (0, $3::integer)
    AND ($4::smallint[] IS NULL OR family = ANY ($4))
    AND (purpose = 'tune' OR $6)
    AND (rest_until IS NULL OR rest_until <= now() OR agent <> $1)
    AND NOT EXISTS (SELECT FROM own)
  ORDER BY priority DESC, weight DESC, id
  LIMIT 1 FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE job SET state = 'running', agent = $1, epoch = epoch + 1, claimed = now(), progress = NULL,
                 rest_until = NULL, lease_expires = now() + $5 * interval '1 millisecond'
  FROM next WHERE job.id = next.id
  RETURNING job.*
)
SELECT * FROM own UNION ALL SELECT * FROM taken
