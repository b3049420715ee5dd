-- A page of agents, sorted by name and instance: those after the name $1, or, if $2 is set, after the instance $2 of
-- that name.
SELECT a.*, j.id AS job
FROM agent a LEFT JOIN job j ON j.instance = a.instance AND j.state = 'running'
WHERE a.name >= $1 AND (a.name > $1 OR ($2 <> '' AND a.instance > $2))
ORDER BY a.name, a.instance LIMIT $3
