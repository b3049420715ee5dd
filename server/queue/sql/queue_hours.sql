-- The number of open jobs at each hour from 24 hours ago to now.
WITH lives AS (
  SELECT floor(extract(epoch FROM now() - created) / 3600) AS made,
         CASE WHEN state = 'done' THEN floor(extract(epoch FROM now() - finished) / 3600) END AS ended, count(*) AS jobs
  FROM job WHERE state <> 'done' OR finished > now() - interval '24 hours'
  GROUP BY made, ended
)
SELECT coalesce(sum(jobs) FILTER (WHERE made >= hour AND (ended IS NULL OR ended < hour)), 0)::bigint
FROM generate_series(24, 0, -1) AS hour LEFT JOIN lives ON true
GROUP BY hour ORDER BY hour DESC
