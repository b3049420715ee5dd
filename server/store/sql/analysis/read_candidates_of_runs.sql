-- As rebuild_candidates, of some runs alone: what of them each candidate stands by, where it competes.
SELECT key, provider, standing, us, error, candidate, started, hash, line, family_version
FROM (SELECT DISTINCT ON (m.key, m.provider, m.candidate)
             m.key, m.provider, m.standing, m.us, m.error, m.candidate,
             (extract(epoch FROM r.started) * 1000000)::bigint AS started, r.hash, m.line,
             m.family_version
      FROM tuned t
      JOIN measurement m ON m.key = t.key AND m.provider = t.provider
      JOIN run r ON r.id = m.run AND r.active
      WHERE t.family = $1 AND m.run = ANY ($2::bigint[]) AND m.standing < 4
      ORDER BY m.key, m.provider, m.candidate, CASE m.standing WHEN 2 THEN 2 WHEN 1 THEN 1 ELSE 0 END,
               r.started DESC, r.hash DESC) AS stands
WHERE standing < 3
