-- The agents after the agents with the name $1. If $2 is set, the agents after the instance $2.
SELECT a.*, j.id AS job
FROM agent a LEFT JOIN job j ON j.instance = a.instance AND j.state = 'running'
WHERE a.name >= $1 AND (a.name > $1 OR ($2 <> '' AND a.instance > $2))
ORDER BY a.name, a.instance LIMIT $3
