INSERT INTO measurement (id, run, key, candidate, us, error, family_version, provider, standing, reason,
                         line, evidence, is_default, searched)
SELECT id, $1, key, candidate, us, error, family_version, provider, standing, reason, line, evidence,
       is_default, searched
FROM stage
