-- Targets with queued jobs that no agent fits which was seen within $1 seconds.
SELECT j.gfx, j.cu_num, count(*)
FROM job j
WHERE j.state = 'queued'
  AND NOT EXISTS (SELECT FROM agent a
                  WHERE a.gfx = j.gfx AND (j.cu_num = 0 OR a.cu_num = j.cu_num)
                    AND a.last_seen > now() - $1 * interval '1 second')
GROUP BY j.gfx, j.cu_num ORDER BY j.gfx, j.cu_num
