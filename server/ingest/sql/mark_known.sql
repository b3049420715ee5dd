-- Records which rows of the source $1 are in the import $2. Ends the range of run ids of each row that the import
-- lacks. Begins a new range for each row that is back again, and answers these rows.
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
