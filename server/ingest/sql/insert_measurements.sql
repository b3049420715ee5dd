-- $2: the source of an import; its later imports may have the rows, too.
INSERT INTO measurement (id, run, key, candidate, us, error, family_version, provider, standing, reason,
                         line, evidence, is_default, searched, source, runs)
SELECT id, $1, key, candidate, us, error, family_version, provider, standing, reason, line, evidence,
       is_default, searched, $2,
       CASE WHEN $2::integer IS NOT NULL THEN int8multirange(int8range($1, NULL)) END
FROM stage
