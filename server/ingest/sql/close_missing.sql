-- Rows that the source's import before had, and that this one ($2) lacks.
UPDATE measurement m
SET runs = m.runs * int8multirange(int8range(NULL, $2))
WHERE m.source = $1 AND upper_inf(m.runs) AND NOT EXISTS (SELECT FROM known k WHERE k.id = m.id)
