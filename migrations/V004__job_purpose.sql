-- A job either looks for the fastest candidate of its shapes, or measures those that are known again,
-- because the runs that measured them do not agree. Agents of before know of the first kind only.
ALTER TABLE job ADD COLUMN purpose text NOT NULL DEFAULT 'tune' CHECK (purpose IN ('tune', 'measure'));
