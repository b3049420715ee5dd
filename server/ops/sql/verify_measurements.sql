-- Checks that a measurement's run, batch, family version and source, and the row of its key, exist and agree.
SELECT format('measurement %s of shape key %s: %s', m.id, m.key,
              CASE WHEN r.id IS NULL THEN format('its run %s is missing', m.run)
                   WHEN b.id IS NULL THEN format('its batch %s is missing', m.id >> 20)
                   WHEN b.run IS DISTINCT FROM m.run
                     THEN format('it belongs to run %s, but its batch %s belongs to run %s', m.run, b.id,
                                 coalesce(b.run::text, 'none'))
                   WHEN t.key IS NULL THEN format('its shape key has no tuned row of provider %s', m.provider)
                   WHEN v.version IS NULL
                     THEN format('version %s of family %s is missing', m.family_version, t.family)
                   WHEN (m.source IS NULL) <> (m.runs IS NULL) THEN 'it has a source or runs; expected both or neither'
                   WHEN (m.us BETWEEN m.low AND m.high) IS FALSE
                     THEN format('its time %s is outside of its interval, %s to %s', m.us, m.low, m.high)
                   WHEN s.name IS DISTINCT FROM r.source
                     THEN format('it belongs to source %s, but its run %s belongs to %s',
                                 coalesce(s.name, 'none'), r.id,
                                 coalesce(r.source, 'none'))
                   ELSE format('its runs are %s, but the first run with it is %s', m.runs, m.run) END)
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
