-- As insert_measurements, of a group's batches ($1).
INSERT INTO measurement (id, run, key, candidate, us, error, family_version, provider, standing, reason,
                         line, evidence, is_default, searched)
SELECT s.id, g.run, s.key, s.candidate, s.us, s.error, s.family_version, s.provider, s.standing, s.reason,
       s.line, s.evidence, s.is_default, s.searched
FROM stage s
JOIN json_to_recordset($1::json) AS g(batch bigint, run bigint) ON g.batch = s.id >> 20
