-- A manifest may tell row by row what a build has now and what its sources could make.
ALTER TABLE build DROP CONSTRAINT build_kind_check;
ALTER TABLE build ADD CONSTRAINT build_kind_check CHECK (kind IN ('buildable', 'compiled', 'tree'));
