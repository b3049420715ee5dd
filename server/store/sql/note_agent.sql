-- A sign of life beside another statement: every ten seconds is enough.
INSERT INTO agent AS a (name, gfx, cu_num)
SELECT $1, $2, $3
WHERE NOT EXISTS (SELECT FROM agent WHERE name = $1 AND gfx = $2 AND cu_num = $3
                  AND last_seen > now() - interval '10 seconds')
ON CONFLICT (name) DO UPDATE
SET gfx = excluded.gfx, cu_num = excluded.cu_num, last_seen = now()
