-- Notes whether the import $2 of the source $1 has the rows that the source has had: the import before it had some that
-- it lacks, and an earlier one some that are back, which it answers.
WITH closed AS (
  UPDATE measurement m
  SET runs = m.runs * int8multirange(int8range(NULL, $2))
  WHERE m.source = $1 AND upper_inf(m.runs) AND NOT EXISTS (SELECT FROM known k WHERE k.id = m.id)
)
UPDATE measurement m
SET runs = m.runs + int8multirange(int8range($2, NULL))
FROM known k
WHERE m.key = k.key AND m.id = k.id AND NOT upper_inf(m.runs)
RETURNING m.id
