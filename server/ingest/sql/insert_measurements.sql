-- $1: the batches and their runs. An import also passes its source, since later imports of the source may share the
-- rows.
WITH met AS (
  INSERT INTO candidate_line (family, candidate, family_version, line)
  SELECT DISTINCT ON (family, candidate) family, candidate, family_version, line
  FROM stage s
  WHERE standing <> 5  -- garbled: its cells may be in other columns
    AND NOT EXISTS (SELECT FROM candidate_line l WHERE l.family = s.family AND l.candidate = s.candidate
                                                   AND l.family_version >= s.family_version)
  ON CONFLICT (family, candidate) DO UPDATE SET family_version = excluded.family_version, line = excluded.line
)
INSERT INTO measurement (id, run, key, candidate, us, error, family_version, provider, standing, reason,
                         line, evidence, is_default, searched, low, high, source, runs)
SELECT s.id, g.run, s.key, s.candidate, s.us, s.error, s.family_version, s.provider, s.standing, s.reason,
       s.line, s.evidence, s.is_default, s.searched, s.low, s.high, g.source,
       CASE WHEN g.source IS NOT NULL THEN int8multirange(int8range(g.run, NULL)) END
FROM stage s
JOIN json_to_recordset($1::json) AS g(batch bigint, run bigint, source integer) ON g.batch = s.id >> 20
