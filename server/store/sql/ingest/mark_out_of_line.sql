-- Measured times that the others of their key, where no roofline bounds it, show to be none (IsOutOfLine of
-- core/row/winner.h): such a candidate stands as implausible until the others change.
WITH timed AS MATERIALIZED (
  SELECT c.key, c.provider, c.candidate, c.us, c.standing, m.is_default
  FROM touched t
  JOIN tuned u ON u.key = t.key AND u.provider = t.provider AND u.relative
  JOIN candidate c ON c.key = t.key AND c.provider = t.provider AND c.standing IN (0, 6)
  JOIN measurement m ON m.key = c.key AND m.id = c.measurement
), lowest AS (
  SELECT key, provider, (array_agg(candidate ORDER BY us, candidate))[1] AS candidate,
         (array_agg(us ORDER BY us, candidate))[1:2] AS us
  FROM timed
  WHERE NOT is_default
  GROUP BY key, provider
), judged AS (
  SELECT t.key, t.provider, t.candidate, t.standing,
         CASE WHEN t.us < 0.1 * (CASE WHEN l.candidate = t.candidate THEN l.us[2] ELSE l.us[1] END) THEN 6
              ELSE 0 END AS now
  FROM timed t
  JOIN lowest l ON l.key = t.key AND l.provider = t.provider
)
UPDATE candidate c SET standing = j.now
FROM judged j
WHERE c.key = j.key AND c.provider = j.provider AND c.candidate = j.candidate AND j.standing <> j.now
