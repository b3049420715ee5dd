SELECT max(id) FILTER (WHERE active) AS in_force, count(*) AS imports FROM run WHERE source = $1
