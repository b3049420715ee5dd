-- As rebuild_candidates, of some runs alone: what of them each candidate stands by, where it competes.
SELECT key, provider, standing, us, error, candidate, run_time, hash, line, family_version
FROM (SELECT DISTINCT ON (m.key, m.provider, m.candidate)
             m.key, m.provider, m.standing, m.us, m.error, m.candidate, m.run_time, m.hash, m.line,
             m.family_version
      FROM tuned t
      JOIN in_order m ON m.key = t.key AND m.provider = t.provider
      WHERE t.family = $1 AND m.counted_by = ANY ($2::bigint[]) AND m.standing < 4
      ORDER BY m.key, m.provider, m.candidate,
               CASE m.standing WHEN 2 THEN 2 WHEN 1 THEN 1 ELSE 0 END,
               m.run_time DESC, m.hash DESC) AS stands
WHERE standing < 3
