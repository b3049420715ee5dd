INSERT INTO agent AS a (name, gfx, cu_num, host, version, doing, instance)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (instance) DO UPDATE
SET name = excluded.name, gfx = excluded.gfx, cu_num = excluded.cu_num, host = excluded.host,
    version = excluded.version, doing = excluded.doing, last_seen = now()
RETURNING a.*, (SELECT id FROM job WHERE job.instance = a.instance AND job.state = 'running') AS job
