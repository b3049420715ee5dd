-- Times for speed-ups: of winners, of defaults, and of the candidates $3. The shape keys are tuned, and have several
-- measured candidates or a time of AITER's whole operator with the default. $2: see read_times. Of the operator
-- times, the latest of the default and the latest of the winner count. The query finds defaults by their index,
-- because there are too many measurements.
WITH operator AS MATERIALIZED (
  SELECT DISTINCT ON (m.key, m.provider, m.is_default, CASE WHEN NOT m.is_default THEN m.candidate END)
         m.key, m.provider, m.candidate, m.us, m.is_default
  FROM tuned t
  JOIN in_force m ON m.key = t.key AND m.provider = t.provider
  JOIN run r ON r.id = m.counted_by
  WHERE t.family = $1 AND m.standing = 8
  ORDER BY m.key, m.provider, m.is_default, CASE WHEN NOT m.is_default THEN m.candidate END, r.started DESC,
           r.hash DESC, m.us
), many AS MATERIALIZED (
  SELECT t.key, t.provider
  FROM tuned t
  JOIN candidate c ON c.key = t.key AND c.provider = t.provider
  WHERE t.family = $1 AND c.standing = 0 AND NOT t.baseline
    AND ($2 OR t.provider = 0 AND t.gfx LIKE 'gfx%' OR t.provider = 1 AND t.gfx NOT LIKE 'gfx%')
  GROUP BY t.key, t.provider
  HAVING count(*) > 1 OR EXISTS (SELECT FROM operator o WHERE o.key = t.key AND o.provider = t.provider AND o.is_default)
), times AS (
  SELECT t.ord, t.key, t.provider, c.candidate, c.us, c.measurement = t.measurement AS won,
         d.id IS NOT NULL AS is_default, false AS compared, coalesce(r.provenance ->> 'campaign', '') AS campaign
  FROM many
  JOIN tuned t ON t.key = many.key AND t.provider = many.provider
  JOIN candidate c ON c.key = t.key AND c.provider = t.provider
  LEFT JOIN measurement d ON d.key = c.key AND d.id = c.measurement AND d.is_default
  LEFT JOIN run r ON r.hash = c.run AND c.measurement = t.measurement
  WHERE c.standing = 0
    AND (c.measurement = t.measurement OR d.id IS NOT NULL OR c.candidate = ANY ($3::uuid[]))
  UNION ALL
  SELECT t.ord, t.key, t.provider, o.candidate, o.us, false, o.is_default, true, ''
  FROM many
  JOIN tuned t ON t.key = many.key AND t.provider = many.provider
  JOIN operator o ON o.key = t.key AND o.provider = t.provider AND (o.is_default OR o.candidate = t.candidate)
)
SELECT key, provider, candidate, us, won, is_default, compared, campaign
FROM times
ORDER BY ord, provider, compared, us, candidate
