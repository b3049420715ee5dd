SELECT h.family, h.number, r.token
FROM (SELECT family, max(number) AS number FROM revision_family GROUP BY family) AS h
JOIN revision r USING (number)
