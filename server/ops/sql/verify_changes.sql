-- A revision stores how many keys of a family it changed. Checks that as many intervals of keys begin or end at the
-- revision.
SELECT format('revision %s of %s changed %s shape keys, but %s intervals of the history begin or end there', f.number,
              coalesce(n.name, f.family::text), f.changed, coalesce(c.keys, 0))
FROM revision_family f
JOIN revision r USING (number)
LEFT JOIN family n ON n.id = f.family
LEFT JOIN stored_changes c ON c.family = f.family AND c.change = r.change
WHERE f.changed <> coalesce(c.keys, 0)
ORDER BY f.number, f.family
