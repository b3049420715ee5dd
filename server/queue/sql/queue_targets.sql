-- For each target with open jobs, or with jobs that were done within a day: numbers of jobs and shapes. Also the
-- seconds since the claim of the first done job.
WITH shown AS (
  SELECT gfx, cu_num, state, json_array_length(shapes) AS shapes, greatest(claimed, now() - interval '24 hours') AS claimed
  FROM job WHERE state <> 'done' OR finished > now() - interval '24 hours'
)
SELECT gfx, cu_num,
       count(*) FILTER (WHERE state = 'queued'), count(*) FILTER (WHERE state = 'running'),
       count(*) FILTER (WHERE state = 'parked'),
       coalesce(sum(shapes) FILTER (WHERE state IN ('queued', 'running')), 0),
       count(*) FILTER (WHERE state = 'done'), coalesce(sum(shapes) FILTER (WHERE state = 'done'), 0),
       extract(epoch FROM now() - min(claimed) FILTER (WHERE state = 'done'))::float8
FROM shown GROUP BY gfx, cu_num ORDER BY gfx, cu_num
