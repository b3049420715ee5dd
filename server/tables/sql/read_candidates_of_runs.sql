-- For each candidate, the row by which it would compete if only these runs existed; like rebuild_candidates. An owner's
-- wrong row replaces the owner's earlier time.
SELECT key, provider, standing, us, error, candidate, run_time, hash, line, family_version, rank
FROM (SELECT DISTINCT ON (key, provider, candidate) *
      FROM (SELECT DISTINCT ON (m.key, m.provider, m.candidate, weight, m.owner) m.*, weight
            FROM tuned t
            JOIN in_order m ON m.key = t.key AND m.provider = t.provider
            CROSS JOIN LATERAL (SELECT CASE m.standing WHEN 2 THEN 2 WHEN 1 THEN 1 ELSE 0 END AS weight) AS w
            WHERE t.family = $1 AND m.counted_by = ANY ($2::bigint[]) AND m.standing < 4
            ORDER BY m.key, m.provider, m.candidate, weight, m.owner, m.run_time DESC, m.hash DESC) AS latest
      ORDER BY key, provider, candidate, weight, standing, CASE WHEN standing = 0 THEN us END,
               CASE WHEN standing = 0 THEN error END, rank, run_time DESC, hash DESC) AS stands
WHERE standing < 3
