-- Serves the best row of its batch for each new shape key. Answers, per family and batch, the numbers of new keys and
-- of served keys.
WITH new AS (
  INSERT INTO tuned (key, candidate, measurement, change, cu_num, family, provider, standing, why, gfx, ord,
                     baseline, relative)
  SELECT key,
         CASE WHEN competes THEN candidate END,
         CASE WHEN competes THEN id END,
         id >> 20, cu_num, family, provider,
         CASE WHEN competes THEN standing END,
         CASE WHEN competes AND alone THEN CASE WHEN standing = 2 THEN 5 ELSE 0 END END,
         gfx, ord, competes AND alone AND standing = 0 AND is_default AND NOT searched, relative
  FROM (SELECT *, standing < 3 AND $1::boolean AS competes FROM stage WHERE place = 0) AS first
  ON CONFLICT (key, provider) DO NOTHING
  RETURNING family, measurement, change
)
SELECT family, count(*), count(measurement), change FROM new GROUP BY family, change
