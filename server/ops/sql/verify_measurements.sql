-- A measurement's run, batch, key's row, family version and source exist and agree.
SELECT format('measurement %s of key %s: %s', m.id, m.key,
              CASE WHEN r.id IS NULL THEN format('its run %s is not there', m.run)
                   WHEN b.id IS NULL THEN format('its batch %s is not there', m.id >> 20)
                   WHEN b.run IS DISTINCT FROM m.run
                     THEN format('it is of run %s, and its batch %s of run %s', m.run, b.id,
                                 coalesce(b.run::text, 'none'))
                   WHEN t.key IS NULL THEN format('its key has no tuned row of provider %s', m.provider)
                   WHEN v.version IS NULL
                     THEN format('version %s of family %s is not there', m.family_version, t.family)
                   WHEN (m.source IS NULL) <> (m.runs IS NULL) THEN 'it has a source or runs, and not both'
                   WHEN (m.us BETWEEN m.low AND m.high) IS FALSE
                     THEN format('its time %s is outside of its interval, %s to %s', m.us, m.low, m.high)
                   WHEN s.name IS DISTINCT FROM r.source
                     THEN format('it is of source %s, and its run %s of %s', coalesce(s.name, 'none'), r.id,
                                 coalesce(r.source, 'none'))
                   ELSE format('its runs are %s, and the first that has it is %s', m.runs, m.run) END)
FROM measurement m
LEFT JOIN run r ON r.id = m.run
LEFT JOIN batch b ON b.id = m.id >> 20
LEFT JOIN stored_tuned t ON t.key = m.key AND t.provider = m.provider
LEFT JOIN family_version v ON v.family = t.family AND v.version = m.family_version
LEFT JOIN source s ON s.id = m.source
WHERE r.id IS NULL OR b.id IS NULL OR b.run IS DISTINCT FROM m.run OR t.key IS NULL OR v.version IS NULL
   OR (m.source IS NULL) <> (m.runs IS NULL) OR s.name IS DISTINCT FROM r.source
   OR (m.us BETWEEN m.low AND m.high) IS FALSE OR lower(m.runs) IS DISTINCT FROM CASE WHEN m.runs IS NOT NULL THEN m.run END
ORDER BY m.id
