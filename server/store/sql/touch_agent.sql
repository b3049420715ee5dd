INSERT INTO agent AS a (name, gfx, cu_num, host, version, doing)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (name) DO UPDATE
SET gfx = excluded.gfx, cu_num = excluded.cu_num, host = excluded.host, version = excluded.version,
    doing = excluded.doing, last_seen = now()
RETURNING a.*, (SELECT id FROM job WHERE job.agent = a.name AND job.state = 'running') AS job
