-- Rebuilds the candidates of the touched shape keys from the active measurements, by StandsBy of
-- tests/support/winner_rule.h. Answers the measurements that are implausible (6) or unconfirmed (9)
-- compared with other times of their keys. PostgreSQL expects few rows, but cannot compute a FULL JOIN by a nested loop,
-- which would be slow.
DELETE FROM candidate c USING touched t WHERE c.key = t.key AND c.provider = t.provider;
WITH told AS MATERIALIZED (
  SELECT m.key, m.provider, m.candidate, m.id, m.us, m.error, m.low, m.high, m.standing, m.rank, m.is_default, m.owner,
         m.run_time, m.hash, m.decides, m.confirmed, m.received,
         min(m.owner) OVER one = max(m.owner) OVER one AS of_one,
         min(m.owner) OVER (PARTITION BY m.key, m.provider) < max(m.owner) OVER (PARTITION BY m.key, m.provider) AS disputed
  FROM touched t
  JOIN in_order m ON m.key = t.key AND m.provider = t.provider
  WHERE m.standing < 4
  WINDOW one AS (PARTITION BY m.key, m.provider, m.candidate)
), wrong AS MATERIALIZED (
  SELECT w.key, w.provider, w.candidate, w.owner, w.decides, w.received,
         EXISTS (SELECT FROM told r
                 WHERE r.key = w.key AND r.provider = w.provider AND r.candidate = w.candidate AND r.owner = w.owner
                   AND r.standing = 0 AND r.received > w.received) AS taken_back
  FROM told w WHERE w.standing = 3
), accused AS MATERIALIZED (
  SELECT DISTINCT key, provider, candidate FROM wrong
), counting AS MATERIALIZED (
  SELECT m.*
  FROM told m
  LEFT JOIN accused a ON a.key = m.key AND a.provider = m.provider AND a.candidate = m.candidate
  WHERE m.standing = 3 OR a.key IS NULL OR NOT EXISTS (
    SELECT FROM wrong w
    WHERE w.key = m.key AND w.provider = m.provider AND w.candidate = m.candidate
      AND (m.standing > 0 OR w.received > m.received)
    HAVING bool_or(w.owner = m.owner OR w.decides AND NOT w.taken_back)
        OR count(DISTINCT w.owner) FILTER (WHERE NOT w.taken_back) > 1)
), timed AS MATERIALIZED (
  SELECT m.*, u.relative, g.confirm_factor
  FROM counting m
  JOIN tuned u ON u.key = m.key AND u.provider = m.provider
  CROSS JOIN registry g
  WHERE m.standing = 0 AND (u.relative OR m.disputed AND g.confirm_factor > 0)
), lowest AS MATERIALIZED (
  SELECT key, provider, owner, received, (array_agg(candidate ORDER BY us, candidate))[1] AS candidate,
         (array_agg(us ORDER BY us, candidate))[1:2] AS us
  FROM timed
  WHERE NOT is_default
  GROUP BY key, provider, owner, received
-- Implausible: a time below a tenth of the best time that arrived earlier or together. The best time is the best of
-- other owners, or else of the owner's other candidates. The low time still counts if a later time of another owner
-- is nearly as low.
), out_of_line AS (
  SELECT m.id
  FROM (SELECT * FROM timed WHERE rank > 0 AND relative) AS m
  FULL JOIN lowest l ON l.key = m.key AND l.provider = m.provider
  GROUP BY m.id, m.us
  HAVING m.us < 0.1 * coalesce(min(l.us[1]) FILTER (WHERE l.received <= m.received AND l.owner <> m.owner),
                               min(CASE WHEN l.candidate = m.candidate THEN l.us[2] ELSE l.us[1] END)
                                 FILTER (WHERE l.received <= m.received))
     AND coalesce(m.us < 0.1 * min(l.us[1]) FILTER (WHERE l.received > m.received AND l.owner <> m.owner), true)
-- Doubtful: a time that beats an earlier time of another owner by more than the factor, and that no other owner's time
-- of the same candidate confirms.
), doubtful AS MATERIALIZED (
  SELECT m.id, m.key, m.provider, m.owner, m.received, m.us * m.confirm_factor AS reach
  FROM (SELECT * FROM timed WHERE rank > 0 AND NOT confirmed AND confirm_factor > 0) AS m
  FULL JOIN lowest l ON l.key = m.key AND l.provider = m.provider
  FULL JOIN timed o ON o.key = m.key AND o.provider = m.provider AND o.candidate = m.candidate
  GROUP BY m.id, m.key, m.provider, m.owner, m.received, m.us, m.confirm_factor
  HAVING bool_or(l.owner <> m.owner AND l.received < m.received AND m.us * m.confirm_factor < l.us[1])
     AND bool_or(o.owner <> m.owner AND o.us <= m.us * 1.05) IS NOT TRUE
-- It waits unless another owner had a time nearly as low that is not itself doubtful.
), unconfirmed AS (
  SELECT d.id
  FROM doubtful d
  FULL JOIN (SELECT t.*, x.id AS doubted FROM timed t FULL JOIN doubtful x ON x.id = t.id) AS l
    ON l.key = d.key AND l.provider = d.provider
  GROUP BY d.id, d.reach
  HAVING d.reach < min(l.us) FILTER (WHERE l.owner <> d.owner AND l.received < d.received AND NOT l.is_default
                                       AND l.doubted IS NULL)
), excluded AS MATERIALIZED (
  SELECT id, min(stands) AS stands
  FROM (SELECT id, 6::smallint AS stands FROM out_of_line UNION ALL SELECT id, 9::smallint FROM unconfirmed) AS each
  GROUP BY id
), judged AS MATERIALIZED (
  SELECT m.*, s.stands, s.stands AS weight,
         max(CASE WHEN s.stands = 9 THEN m.id END) OVER (PARTITION BY m.key, m.provider, m.candidate) AS unconfirmed
  FROM counting m
  FULL JOIN excluded b ON b.id = m.id
  CROSS JOIN LATERAL (SELECT coalesce(b.stands, m.standing) AS stands) AS s
),
@stand_by@, built AS (
  INSERT INTO candidate (key, candidate, run, run_time, us, error, measurement, provider, standing, owner, rank,
                         low, high, since_time, since_run, since_us, agreed, unconfirmed)
  SELECT key, candidate, hash, run_time, us, error, measurement, provider, stands, CASE WHEN of_one THEN owner END, rank,
         low, high, since_time, since_run, since_us, agreed, unconfirmed
  FROM stood
)
SELECT id, stands FROM excluded ORDER BY id
